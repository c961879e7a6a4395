/** Writes imported wallets as `POST /v0/import` does. */
import { joinImported, readImportedWallet } from "../profiles/read-writes.ts";
import type { WriteWallets } from "../profiles/write-wallets.ts";
import type { Door } from "./door.ts";

/** The rows of a batch have one time, so that a batch that is sent again after a kill writes the same. */
export function createWalletDoor(projectId: string, writeWallets: WriteWallets, nowMs: number): Door {
  return {
    async send(texts) {
      const refused = new Map<number, string>();
      const wallets = texts.flatMap((text, index) => {
        const found = readImportedWallet(JSON.parse(text) as Record<string, unknown>, nowMs);
        if (typeof found !== "string") return [found];
        refused.set(index, found);
        return [];
      });
      await writeWallets(projectId, joinImported(wallets));
      return { refused };
    },
    // The ledger counts events.
    refuse: async () => undefined,
  };
}
