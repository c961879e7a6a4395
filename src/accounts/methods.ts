import type { Static } from "typebox";
import type { MethodList } from "../contract/account.ts";
import type { Reader } from "../control/store.ts";
import { iso } from "./describe.ts";
import { hasIdentity } from "./identities.ts";
import { listPasskeys } from "./passkeys.ts";
import { listWallets } from "./wallets.ts";

/** The ways to sign in besides the password, which a new password leaves as they are. */
export async function listMethods(db: Reader, userId: string): Promise<Static<typeof MethodList>> {
  const passkeys = await listPasskeys(db, userId);
  const wallets = await listWallets(db, userId);
  return {
    passkeys: passkeys.map(({ id, name, createdAtMs }) => ({ id, name, createdAt: iso(createdAtMs) })),
    wallets: wallets.map(({ id, address, createdAtMs }) => ({ id, address, createdAt: iso(createdAtMs) })),
    oidc: await hasIdentity(db, userId),
  };
}
