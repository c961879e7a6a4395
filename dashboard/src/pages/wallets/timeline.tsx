import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../api/client.ts";
import type { Profile } from "../../api/profiles.ts";
import { retryOnce } from "../../api/reports.ts";
import { bucketText, timeText } from "../../format/dates.ts";
import { dayMs } from "../../format/days.ts";
import { full } from "../../format/numbers.ts";
import { useView } from "../../state/view.ts";
import { type ActivityEvent, EventSummary } from "../../ui/event-row.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { eventsByDay, type SessionEvents } from "./by-session.ts";
import { Fact } from "./wallet-facts.tsx";

interface ActivityPage {
  data: readonly ActivityEvent[];
  next_cursor: string | null;
}

const AT_ONCE = 50;

/** Everything that the wallet did, newest first: by day, and by session within it. */
export function Timeline({ profile: { address, first_seen, last_seen } }: { profile: Profile }) {
  const { project } = useView();
  const query = {
    project_id: project,
    address,
    date_from: first_seen?.slice(0, 10),
    date_to: last_seen?.slice(0, 10),
    // As its days and times are shown, whatever the zone of the project.
    timezone: "UTC",
    limit: AT_ONCE,
  };
  const pages = useInfiniteQuery({
    queryKey: ["activity", query],
    queryFn: ({ pageParam, signal }) =>
      call<ActivityPage>({ path: "/v0/activity", query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: 10_000,
    retry: retryOnce,
    enabled: project !== undefined && first_seen !== null,
  });
  const days = eventsByDay(pages.data?.pages.flatMap(({ data }) => data) ?? []);
  return (
    <Fact title="Timeline">
      {first_seen === null ? <Empty title="No events">It was imported, or your app has told about it.</Empty> : null}
      {pages.error ? <Failure failure={pages.error} onRetry={() => void pages.refetch()} /> : null}
      {pages.isPending && !pages.error && first_seen !== null ? <Skeleton rows={8} /> : null}
      {days.map(({ day, sessions }) => (
        <section key={day} className="timeline-day" aria-label={bucketText(dayMs(day), "day")}>
          <h3>{bucketText(dayMs(day), "day")}</h3>
          {sessions.map((session) => (
            <TimelineSession key={session.key} session={session} />
          ))}
        </section>
      ))}
      {pages.hasNextPage ? (
        <button
          type="button"
          className="button timeline-more"
          disabled={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {pages.isFetchingNextPage ? "Loading…" : "Show earlier events"}
        </button>
      ) : null}
    </Fact>
  );
}

function TimelineSession({ session: { session, events } }: { session: SessionEvents<ActivityEvent> }) {
  const [newest, oldest] = [events[0], events.at(-1)];
  if (newest === undefined || oldest === undefined) return null;
  const from = timeText(Date.parse(oldest.timestamp));
  const to = timeText(Date.parse(newest.timestamp));
  return (
    <div className="timeline-session">
      <p className="note">
        <Link to="/app/activity" search={{ session_id: session, period: "all" } as never}>
          Session
        </Link>{" "}
        {from === to ? from : `${from} to ${to}`}, {full(events.length, "count")}{" "}
        {events.length === 1 ? "event" : "events"}
      </p>
      <ol className="event-list">
        {events.map((event) => (
          <li key={event.id} className="event-row">
            <EventSummary event={event} short="utc" />
          </li>
        ))}
      </ol>
    </div>
  );
}
