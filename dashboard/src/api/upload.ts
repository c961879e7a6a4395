/**
 * Sends files in parts. An upload goes on while other pages are open, and after an interruption at what the service has:
 * whoever chooses the same file again goes on as well.
 */
import { useSyncExternalStore } from "react";
import { IMPORT_LIMITS } from "../../../src/contract/import-limits.ts";
import { call, sendBytes } from "./client.ts";
import { RequestFailed } from "./failure.ts";
import type { ImportItem } from "./imports.ts";
import type { Wrapped } from "./session.ts";

export interface Sending {
  id: string;
  sent: number;
  failure: unknown;
}

const LEAST_PART = 256 * 1024;
/** A service that restarts is back within seconds, and a train leaves its tunnel. */
const TRIES = 8;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 15_000];

let sendings: ReadonlyMap<string, Sending> = new Map();
const stops = new Map<string, AbortController>();
const listeners = new Set<() => void>();

function tell(sending: Sending | undefined, id: string): void {
  const next = new Map(sendings);
  if (sending === undefined) next.delete(id);
  else next.set(id, sending);
  sendings = next;
  for (const listener of listeners) listener();
}

/** The uploads of this window. */
export function useSendings(): ReadonlyMap<string, Sending> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => sendings,
  );
}

export function stopSending(id: string): void {
  stops.get(id)?.abort();
}

/** Resolves when the service has the whole file, or the sending was stopped or has failed. */
export async function sendFile(item: ImportItem, file: File): Promise<void> {
  const { id } = item;
  if (stops.has(id)) return;
  const stop = new AbortController();
  stops.set(id, stop);
  tell({ id, sent: item.receivedBytes, failure: undefined }, id);
  try {
    await sendParts(item, file, stop.signal);
    tell(undefined, id);
  } catch (failure) {
    if (stop.signal.aborted) tell(undefined, id);
    else tell({ id, sent: sendings.get(id)?.sent ?? 0, failure }, id);
  } finally {
    stops.delete(id);
  }
}

async function sendParts(item: ImportItem, file: File, signal: AbortSignal): Promise<void> {
  const { id, fileBytes } = item;
  let at = item.receivedBytes;
  let size: number = IMPORT_LIMITS.partBytes;
  for (let failed = 0; at < fileBytes; ) {
    try {
      const part = file.slice(at, at + size);
      const path = `/api/imports/${id}/file`;
      const { data } = await sendBytes<Wrapped<ImportItem>>({ path, query: { offset: at }, part, signal });
      at = data.receivedBytes;
      failed = 0;
      tell({ id, sent: at, failure: undefined }, id);
    } catch (cause) {
      failed += 1;
      if (signal.aborted || failed >= TRIES || !mayPass(cause)) throw cause;
      // On a slow line a part may not arrive within the time of a request.
      size = Math.max(LEAST_PART, size / 2);
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** failed, LONGEST_PAUSE_MS), signal);
      at = await findReceived(id, at, signal);
    }
  }
}

/** What the service has; while it does not answer, what was known before. */
async function findReceived(id: string, known: number, signal: AbortSignal): Promise<number> {
  try {
    return (await call<Wrapped<ImportItem>>({ path: `/api/imports/${id}`, isFirst: true, signal })).data.receivedBytes;
  } catch {
    return known;
  }
}

function mayPass(cause: unknown): boolean {
  return cause instanceof RequestFailed && [0, 408, 409, 429, 502, 503, 504].includes(cause.status);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
