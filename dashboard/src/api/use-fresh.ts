import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { serviceUrl } from "./client.ts";

/** After each round of reports there is a pause, three times as long as the round where they are slow. */
const LEAST_PAUSE_MS = 1000;
const PAUSE_FACTOR = 3;
const HEADLINE = ["report", "/v0/kpis"] as const;
/** After a stream that was refused, because too many are open. */
const AGAIN_MS = 30_000;

/**
 * Asks the reports of the page again when the service has stored new events of the project. Only while the page is
 * visible: a browser opens six connections to a host, and each stream is one.
 */
export function useFresh(project: string | undefined, wanted: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (project === undefined || !wanted) return;
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let isUpdating = false;
    let hasMore = false;
    const update = async (): Promise<void> => {
      hasMore = true;
      if (isUpdating) return;
      isUpdating = true;
      while (hasMore && source !== undefined) {
        hasMore = false;
        const startedMs = performance.now();
        const isEmpty = client.getQueryData(["first-day", project]) === null;
        // The headline first: beside a dozen other reports it waits for the same two cores.
        await client.invalidateQueries({ queryKey: HEADLINE });
        const keys = ["live", "ingest", ...(isEmpty ? ["first-day"] : [])];
        await Promise.all([
          client.invalidateQueries({ queryKey: ["report"], predicate: ({ queryKey }) => queryKey[1] !== HEADLINE[1] }),
          ...keys.map((key) => client.invalidateQueries({ queryKey: [key] })),
        ]);
        const pauseMs = Math.max(LEAST_PAUSE_MS, PAUSE_FACTOR * (performance.now() - startedMs));
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      isUpdating = false;
    };
    /** Whether a report on the page was read before: a stream tells only what is received after it was asked for. */
    const isBehind = (askedAt: number) =>
      client
        .getQueryCache()
        .findAll({ queryKey: ["report"], type: "active", fetchStatus: "idle" })
        .some(({ state: { data, dataUpdatedAt } }) => data !== undefined && dataUpdatedAt < askedAt);
    const open = () => {
      let askedAt = Date.now();
      source = new EventSource(serviceUrl("/v0/live/stream", { project_id: project }));
      source.addEventListener("open", () => {
        if (isBehind(askedAt)) void update();
      });
      source.addEventListener("event", () => void update());
      source.addEventListener("error", () => {
        // Nobody says when the browser asks the next time.
        askedAt = Number.POSITIVE_INFINITY;
        // It connects again by itself, except after a refusal.
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, AGAIN_MS);
      });
    };
    const close = () => {
      clearTimeout(again);
      source?.close();
      source = undefined;
    };
    const follow = () => {
      close();
      if (document.visibilityState === "visible") open();
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      close();
    };
  }, [client, project, wanted]);
}
