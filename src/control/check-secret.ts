import { createHmac, timingSafeEqual } from "node:crypto";
import { ControlOpenError } from "../engines/control.ts";
import type { ControlStore } from "./store.ts";

/**
 * Every stored key hash depends on one secret. A node with another one would refuse all keys without a word of why, so the
 * store keeps a check value: the first start writes it, every later start and command compares.
 */
export async function checkSecret(store: ControlStore, secret: Buffer): Promise<void> {
  const check = createHmac("sha256", secret).update("sextant secret check").digest("base64url");
  const kept = await store.write(async (tx) => {
    await tx
      .insertInto("installation")
      .values({ id: "this", secret_check: check })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return tx.selectFrom("installation").select("secret_check").executeTakeFirstOrThrow();
  });
  if (!timingSafeEqual(Buffer.from(kept.secret_check), Buffer.from(check))) {
    throw new ControlOpenError(
      "the secret is not the one this control store's keys were made with: restore the data directory's `secret` file, or set SEXTANT_SECRET to the same value on every node",
    );
  }
}
