import type { Reader, Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";

export interface Wallet {
  id: string;
  userId: string;
  /** In lower case. */
  address: string;
  /** Null for an ordinary account, which is the same on every chain. */
  chainId: number | null;
  createdAtMs: number;
}

const COLUMNS = ["id", "user_id", "address", "chain_id", "created_at"] as const;
const EVERY_CHAIN = 0;

/** Undefined if an account has this wallet already. */
export async function createWallet(
  tx: Tx,
  wallet: Pick<Wallet, "userId" | "address" | "chainId">,
  nowMs: number,
): Promise<Wallet | undefined> {
  const row = {
    id: newId("wlt"),
    user_id: wallet.userId,
    address: wallet.address,
    chain_id: wallet.chainId ?? EVERY_CHAIN,
    created_at: nowMs,
  };
  const done = await tx
    .insertInto("wallets")
    .values(row)
    .onConflict((conflict) => conflict.columns(["address", "chain_id"]).doNothing())
    .executeTakeFirst();
  return done.numInsertedOrUpdatedRows === 1n ? toWallet(row) : undefined;
}

/** Without a user: it determines who signs in. */
export async function findWallet(
  db: Reader,
  { address, chainId }: Pick<Wallet, "address" | "chainId">,
): Promise<Wallet | undefined> {
  const row = await db
    .selectFrom("wallets")
    .select(COLUMNS)
    .where("address", "=", address)
    .where("chain_id", "=", chainId ?? EVERY_CHAIN)
    .executeTakeFirst();
  return row && toWallet(row);
}

/** A wallet of this address on any chain, the oldest. */
export async function findWalletOf(db: Reader, address: string): Promise<Wallet | undefined> {
  const rows = db.selectFrom("wallets").select(COLUMNS).where("address", "=", address);
  const row = await rows.orderBy("created_at").limit(1).executeTakeFirst();
  return row && toWallet(row);
}

export async function listWallets(db: Reader, userId: string): Promise<Wallet[]> {
  const rows = db.selectFrom("wallets").select(COLUMNS).where("user_id", "=", userId);
  return (await rows.orderBy("created_at").orderBy("id").execute()).map(toWallet);
}

export async function removeWallet(tx: Tx, userId: string, id: string): Promise<boolean> {
  const done = await tx.deleteFrom("wallets").where("user_id", "=", userId).where("id", "=", id).executeTakeFirst();
  return done.numDeletedRows === 1n;
}

function toWallet(row: { id: string; user_id: string; address: string; chain_id: number; created_at: number }): Wallet {
  return {
    id: row.id,
    userId: row.user_id,
    address: row.address,
    chainId: row.chain_id === EVERY_CHAIN ? null : row.chain_id,
    createdAtMs: row.created_at,
  };
}
