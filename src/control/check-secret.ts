import { createHmac, timingSafeEqual } from "node:crypto";
import { ControlOpenError } from "../engines/control.ts";
import type { ControlStore } from "./store.ts";

/**
 * Every stored key hash depends on one secret. A node with another secret would refuse all keys without a reason. The
 * store therefore keeps a check value: the first start writes it, every later start and command compares it.
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

/** Compares only, without writing a missing check value. */
export async function compareSecret(store: ControlStore, secret: Buffer): Promise<void> {
  const kept = await store.read.selectFrom("installation").select("secret_check").executeTakeFirst();
  if (kept !== undefined && !isSecretOf(kept.secret_check, secret)) {
    throw new ControlOpenError(
      "the secret is not the one this control store's keys were created with: " +
        "restore the data directory's `secret` file, or set SEXTANT_SECRET to the same value on every node",
    );
  }
}

/** True if the check value was derived from this secret. */
export function isSecretOf(check: string, secret: Buffer): boolean {
  const [kept, made] = [Buffer.from(check), Buffer.from(makeCheck(secret))];
  return kept.length === made.length && timingSafeEqual(kept, made);
}

function makeCheck(secret: Buffer): string {
  return createHmac("sha256", secret).update("sextant secret check").digest("base64url");
}
