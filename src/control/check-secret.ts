import { createHmac, timingSafeEqual } from "node:crypto";
import { ControlOpenError } from "../engines/control.ts";
import type { ControlStore } from "./store.ts";

/**
 * Every stored key hash depends on one secret. A node with another one would refuse all keys without a word of why, so the
 * store keeps a check value: the first start writes it, every later start and command compares.
 */
export async function checkSecret(store: ControlStore, secret: Buffer): Promise<void> {
  const check = makeCheck(secret);
  await store.write((tx) =>
    tx
      .insertInto("installation")
      .values({ id: "this", secret_check: check })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
  await compareSecret(store, secret);
}

/** Changes nothing. */
export async function compareSecret(store: ControlStore, secret: Buffer): Promise<void> {
  const kept = await store.read.selectFrom("installation").select("secret_check").executeTakeFirst();
  if (kept !== undefined && !isSecretOf(kept.secret_check, secret)) {
    throw new ControlOpenError(
      "the secret is not the one this control store's keys were made with: restore the data directory's `secret` file, or set SEXTANT_SECRET to the same value on every node",
    );
  }
}

/** Is it the secret that this check value was made with? */
export function isSecretOf(check: string, secret: Buffer): boolean {
  const [kept, made] = [Buffer.from(check), Buffer.from(makeCheck(secret))];
  return kept.length === made.length && timingSafeEqual(kept, made);
}

function makeCheck(secret: Buffer): string {
  return createHmac("sha256", secret).update("sextant secret check").digest("base64url");
}
