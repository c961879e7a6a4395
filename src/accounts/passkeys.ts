import type { Reader, Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";

export interface Passkey {
  id: string;
  userId: string;
  credentialId: string;
  publicKey: Uint8Array<ArrayBuffer>;
  counter: number;
  transports: string[];
  name: string;
  createdAtMs: number;
  lastUsedAtMs: number | null;
}

type NewPasskey = Pick<Passkey, "userId" | "credentialId" | "publicKey" | "counter" | "transports" | "name">;

const COLUMNS = [
  "id",
  "user_id",
  "credential_id",
  "public_key",
  "counter",
  "transports",
  "name",
  "created_at",
  "last_used_at",
] as const;

/** Undefined if the passkey is known already. */
export async function createPasskey(tx: Tx, passkey: NewPasskey, nowMs: number): Promise<Passkey | undefined> {
  const row = {
    id: newId("psk"),
    user_id: passkey.userId,
    credential_id: passkey.credentialId,
    public_key: Buffer.from(passkey.publicKey).toString("base64url"),
    counter: passkey.counter,
    transports: passkey.transports.join(" "),
    name: passkey.name,
    created_at: nowMs,
    last_used_at: null,
  };
  const done = await tx
    .insertInto("passkeys")
    .values(row)
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .executeTakeFirst();
  return done.numInsertedOrUpdatedRows === 1n ? toPasskey(row) : undefined;
}

/** Without a user: it determines who signs in. */
export async function findPasskey(db: Reader, credentialId: string): Promise<Passkey | undefined> {
  const row = await db
    .selectFrom("passkeys")
    .select(COLUMNS)
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
  return row && toPasskey(row);
}

export async function listPasskeys(db: Reader, userId: string): Promise<Passkey[]> {
  const rows = db.selectFrom("passkeys").select(COLUMNS).where("user_id", "=", userId);
  return (await rows.orderBy("created_at").orderBy("id").execute()).map(toPasskey);
}

export async function recordPasskeyUse(tx: Tx, userId: string, id: string, counter: number, nowMs: number) {
  await tx
    .updateTable("passkeys")
    .set({ counter, last_used_at: nowMs })
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .execute();
}

export async function removePasskey(tx: Tx, userId: string, id: string): Promise<boolean> {
  const done = await tx.deleteFrom("passkeys").where("user_id", "=", userId).where("id", "=", id).executeTakeFirst();
  return done.numDeletedRows === 1n;
}

function toPasskey(row: {
  id: string;
  user_id: string;
  credential_id: string;
  public_key: string;
  counter: number;
  transports: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
}): Passkey {
  return {
    id: row.id,
    userId: row.user_id,
    credentialId: row.credential_id,
    publicKey: new Uint8Array(Buffer.from(row.public_key, "base64url")),
    counter: row.counter,
    transports: row.transports.split(" ").filter((text) => text !== ""),
    name: row.name,
    createdAtMs: row.created_at,
    lastUsedAtMs: row.last_used_at,
  };
}
