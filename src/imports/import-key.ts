/** The write key of an import: it ends with the import, or after a day if the import was killed. */
import { createKeyText } from "../control/key-text.ts";
import { createWriteKey, revokeWriteKey } from "../control/keys.ts";
import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { DAY_MS } from "../lib/time.ts";

export interface ImportKeys {
  create(): Promise<string>;
  /** Revokes what was created. */
  end(): Promise<void>;
}

export function createImportKeys(
  store: ControlStore,
  workspaceId: string,
  { secret, projectId, clock }: { secret: Buffer; projectId: string; clock: Clock },
): ImportKeys {
  const created: string[] = [];
  return {
    async create() {
      const nowMs = clock.nowMs();
      const key = { name: "Import", text: createKeyText("write"), projectId, expiresAtMs: nowMs + DAY_MS };
      const { id } = await store.write((tx) => createWriteKey(tx, workspaceId, secret, key, nowMs));
      created.push(id);
      return key.text;
    },
    async end() {
      for (const id of created) await store.write((tx) => revokeWriteKey(tx, workspaceId, id, clock.nowMs()));
    },
  };
}
