/**
 * Reports that fail because the service or its engine does not answer: they fail all at once, so that the page says it
 * once and asks all of them again.
 */
import { useEffect, useId, useSyncExternalStore } from "react";
import { isPassing } from "./failure.ts";

interface Asked {
  error: unknown;
  isFetching: boolean;
  refetch: () => Promise<unknown>;
}

interface Failed {
  failure: unknown;
  refetch: () => Promise<unknown>;
}

let failed: ReadonlyMap<string, Failed> = new Map();
const listeners = new Set<() => void>();

function put(id: string, entry: Failed | undefined): void {
  if (entry === undefined && !failed.has(id)) return;
  const next = new Map(failed);
  if (entry === undefined) next.delete(id);
  else next.set(id, entry);
  failed = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Adds a query to those that the page asks again, from its failure to its next answer. */
export function useOutage({ error, isFetching, refetch }: Asked): void {
  const id = useId();
  useEffect(() => {
    if (error !== null && isPassing(error)) put(id, { failure: error, refetch });
    // A question without any answer has no error while it is asked again.
    else if (!isFetching) put(id, undefined);
  }, [id, error, isFetching, refetch]);
  useEffect(() => () => put(id, undefined), [id]);
}

/** Undefined while all is well. */
export function useFailed(): { failure: unknown; retry: () => void } | undefined {
  const all = useSyncExternalStore(subscribe, () => failed);
  const [first] = all.values();
  if (first === undefined) return undefined;
  return {
    failure: first.failure,
    retry: () => {
      for (const { refetch } of all.values()) void refetch();
    },
  };
}
