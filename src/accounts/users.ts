import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import type { Reader, Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";

export interface User {
  id: string;
  name: string;
  passwordHash: string | null;
  createdAtMs: number;
  disabledAtMs: number | null;
}

const COLUMNS = ["id", "name", "password_hash", "created_at", "disabled_at"] as const;

/** A name, or why it cannot be used. Names are compared without case and in one Unicode form. */
export function readUserName(text: string): { name: string; problem?: undefined } | { problem: string } {
  const name = text.normalize("NFC").trim();
  if (name === "" || name.length > ACCOUNT_LIMITS.nameChars)
    return { problem: `must have 1 to ${ACCOUNT_LIMITS.nameChars} characters` };
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) return { problem: "must not hold invisible characters" };
  return { name };
}

function nameKey(name: string): string {
  return name.normalize("NFKC").trim().toLowerCase();
}

/** Undefined if the name is taken. */
export async function createUser(
  tx: Tx,
  user: { name: string; passwordHash: string | null },
  nowMs: number,
): Promise<User | undefined> {
  const row = {
    id: newId("usr"),
    name: user.name,
    name_key: nameKey(user.name),
    password_hash: user.passwordHash,
    created_at: nowMs,
    disabled_at: null,
  };
  const done = await tx
    .insertInto("users")
    .values(row)
    .onConflict((conflict) => conflict.column("name_key").doNothing())
    .executeTakeFirst();
  return done.numInsertedOrUpdatedRows === 1n ? toUser(row) : undefined;
}

export async function findUser(db: Reader, userId: string): Promise<User | undefined> {
  const row = await db.selectFrom("users").select(COLUMNS).where("id", "=", userId).executeTakeFirst();
  return row && toUser(row);
}

export async function findUserByName(db: Reader, name: string): Promise<User | undefined> {
  // No user has such a name, and PostgreSQL rejects NUL.
  if (readUserName(name).problem !== undefined) return undefined;
  const row = await db.selectFrom("users").select(COLUMNS).where("name_key", "=", nameKey(name)).executeTakeFirst();
  return row && toUser(row);
}

export async function listUsers(db: Reader): Promise<User[]> {
  const rows = await db.selectFrom("users").select(COLUMNS).orderBy("created_at").orderBy("id").execute();
  return rows.map(toUser);
}

export async function hasUsers(db: Reader): Promise<boolean> {
  return (await db.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined;
}

export async function setPasswordHash(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await tx.updateTable("users").set({ password_hash: passwordHash }).where("id", "=", userId).execute();
}

/** Other transactions that lock the user wait: what is counted here stays true until the end of this one. */
export async function lockUser(tx: Tx, userId: string): Promise<void> {
  await tx
    .updateTable("users")
    .set((e) => ({ name: e.ref("name") }))
    .where("id", "=", userId)
    .execute();
}

/** Null enables the user again. */
export async function setDisabled(tx: Tx, userId: string, atMs: number | null): Promise<void> {
  await tx.updateTable("users").set({ disabled_at: atMs }).where("id", "=", userId).execute();
}

function toUser(row: {
  id: string;
  name: string;
  password_hash: string | null;
  created_at: number;
  disabled_at: number | null;
}): User {
  return {
    id: row.id,
    name: row.name,
    passwordHash: row.password_hash,
    createdAtMs: row.created_at,
    disabledAtMs: row.disabled_at,
  };
}
