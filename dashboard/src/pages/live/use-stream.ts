import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call, serviceUrl } from "../../api/client.ts";
import type { ActivityEvent } from "../../ui/event-row.tsx";

/** An event in the short form of `/v0/live/stream`. */
interface StreamedEvent extends Omit<ActivityEvent, "anonymous_id" | "context" | "properties"> {
  visitor: string;
}

/** More than a screen; the others are on the page Activity. */
const KEPT = 60;

interface Stream {
  events: readonly ActivityEvent[];
  isPending: boolean;
  error: unknown;
  isConnected: boolean;
  refetch: () => void;
}

/** The stream is of all events: those of a segment are asked for. */
const ASKED_EVERY_MS = 2000;

/** The newest events, then every further one as the service stores it. A pause keeps the list as it is. */
export function useStream(project: string | undefined, segment: string | undefined, paused: boolean): Stream {
  const [arrived, setArrived] = useState<readonly ActivityEvent[]>([]);
  const [isConnected, setConnected] = useState(false);
  const client = useQueryClient();
  const newest = useQuery({
    queryKey: ["newest", project, paused, segment],
    queryFn: ({ signal }) =>
      call<{ data: ActivityEvent[] }>({
        path: "/v0/activity",
        query: { project_id: project, segment, limit: 40 },
        signal,
      }),
    ...(segment === undefined ? {} : { refetchInterval: ASKED_EVERY_MS }),
    enabled: project !== undefined && !paused,
    // Of the same project, before a pause.
    placeholderData: (before, asked) => (asked?.queryKey[1] === project ? before : undefined),
    retry: false,
  });
  useEffect(() => {
    if (project === undefined || segment !== undefined || paused) return;
    setArrived([]);
    const source = new EventSource(serviceUrl("/v0/live/stream", { project_id: project }));
    let isFirst = true;
    source.addEventListener("open", () => {
      setConnected(true);
      // The service sends what was missed since the last event, and knows of none where there was no event yet.
      if (!isFirst) void client.invalidateQueries({ queryKey: ["newest", project] });
      isFirst = false;
    });
    // The browser connects again by itself.
    source.addEventListener("error", () => setConnected(false));
    source.addEventListener("event", ({ data }: MessageEvent<string>) => {
      const { visitor, ...event } = JSON.parse(data) as StreamedEvent;
      const whole = { ...event, anonymous_id: visitor, context: null, properties: null } as unknown as ActivityEvent;
      setArrived((before) => [whole, ...before].slice(0, KEPT));
    });
    return () => source.close();
  }, [client, project, segment, paused]);
  const seen = new Set<string>();
  const events = [...arrived, ...(newest.data?.data ?? [])].filter(({ id }) => !seen.has(id) && seen.add(id));
  return {
    events: events.slice(0, KEPT),
    isPending: newest.isPending,
    error: newest.error,
    isConnected: segment === undefined ? isConnected : newest.isSuccess,
    refetch: () => void newest.refetch(),
  };
}
