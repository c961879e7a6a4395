/**
 * Counts how often boards are opened by their links, and when a link was last used. One link may be used 3,000 times a
 * minute: a use is written at once if the last one is a minute ago, and later ones are written together.
 */
import type { ControlStore } from "../control/store.ts";
import { MINUTE_MS } from "../lib/time.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { type BoardLink, recordUses } from "./links.ts";

export interface LinkUses {
  /** A request with the link; `opened`: of its board, not of a chart. */
  note(link: Pick<BoardLink, "id" | "workspaceId">, opened: boolean, nowMs: number, log: WarnLog): Promise<void>;
}

interface Pending {
  uses: number;
  /** Of the last request. */
  atMs: number;
}

export function createLinkUses(store: Pick<ControlStore, "write">): LinkUses {
  /** Links that were written within the last minute. */
  const waiting = new Map<string, Pending>();

  async function write(
    { id, workspaceId }: Pick<BoardLink, "id" | "workspaceId">,
    { uses, atMs }: Pending,
    log: WarnLog,
  ) {
    const written = store.write((tx) => recordUses(tx, workspaceId, id, { uses, lastUsedAtMs: atMs }));
    await tolerate(written, log, "a board is shown whether its use is counted or not");
  }

  function wait(link: Pick<BoardLink, "id" | "workspaceId">, log: WarnLog): void {
    const pending: Pending = { uses: 0, atMs: 0 };
    waiting.set(link.id, pending);
    // A process that ends does not wait for it: it loses the uses of a minute.
    setTimeout(() => {
      waiting.delete(link.id);
      if (pending.atMs === 0) return;
      wait(link, log);
      void write(link, pending, log);
    }, MINUTE_MS).unref();
  }

  return {
    async note(link, opened, nowMs, log) {
      const uses = opened ? 1 : 0;
      const pending = waiting.get(link.id);
      if (pending === undefined) {
        wait(link, log);
        await write(link, { uses, atMs: nowMs }, log);
        return;
      }
      pending.uses += uses;
      pending.atMs = nowMs;
    },
  };
}
