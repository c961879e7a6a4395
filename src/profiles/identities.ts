/** Which visitors, users and other wallets were seen together with a wallet. */
import { type Identity, selectIdentities } from "../query/profiles/select-identities.ts";
import type { Lookup } from "../query/run/run-lookup.ts";
import type { ProfileQuestion } from "./read-query.ts";
import { resolveWallet } from "./search.ts";

export type IdentityView = Pick<Identity, "anonymous_id" | "user_id" | "address" | "events"> & {
  readonly first_seen: string;
  readonly last_seen: string;
};

/** Latest first; none for a wallet without events. */
export function findIdentities(
  projectId: string,
  { wallet }: Pick<ProfileQuestion, "wallet">,
): Lookup<readonly IdentityView[]> {
  return {
    name: "identities",
    async run(given) {
      const address = await resolveWallet(projectId, wallet, "params.address", given);
      if (address === undefined) return [];
      const found = await selectIdentities(given.engine, projectId, address, given.signal);
      return found.map(({ first_seen_ms, last_seen_ms, ...who }) => ({
        ...who,
        first_seen: new Date(first_seen_ms).toISOString(),
        last_seen: new Date(last_seen_ms).toISOString(),
      }));
    },
  };
}
