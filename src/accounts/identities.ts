import type { Reader, Tx } from "../control/store.ts";

/** An account at an OpenID Connect provider. */
export interface Identity {
  issuer: string;
  subject: string;
}

/** Without a user: it determines who signs in. */
export async function findIdentityUser(db: Reader, { issuer, subject }: Identity): Promise<string | undefined> {
  const row = await db
    .selectFrom("identities")
    .select("user_id")
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row?.user_id;
}

export async function hasIdentity(db: Reader, userId: string): Promise<boolean> {
  const row = await db.selectFrom("identities").select("user_id").where("user_id", "=", userId).executeTakeFirst();
  return row !== undefined;
}

/** False if the identity belongs to an account already. */
export async function addIdentity(tx: Tx, userId: string, identity: Identity, nowMs: number): Promise<boolean> {
  const done = await tx
    .insertInto("identities")
    .values({ ...identity, user_id: userId, created_at: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return done.numInsertedOrUpdatedRows === 1n;
}

/** Returns their number. */
export async function removeIdentities(tx: Tx, userId: string): Promise<number> {
  const done = await tx.deleteFrom("identities").where("user_id", "=", userId).executeTakeFirst();
  return Number(done.numDeletedRows);
}
