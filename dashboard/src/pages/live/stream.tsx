import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useView } from "../../state/view.ts";
import { type ActivityEvent, EventSummary } from "../../ui/event-row.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";

const EVERY_MS = 1000;
const SHOWN = 40;

/** Events as they arrive, newest first. */
export function Stream() {
  const { project } = useView();
  const [paused, setPaused] = useState(false);
  const events = useQuery({
    queryKey: ["stream", project],
    queryFn: ({ signal }) =>
      call<{ data: ActivityEvent[] }>({ path: "/v0/activity", query: { project_id: project, limit: SHOWN }, signal }),
    refetchInterval: paused ? false : EVERY_MS,
    retry: false,
    enabled: project !== undefined,
  });
  const list = events.data?.data ?? [];
  return (
    <section className="panel stream" aria-label="Events as they arrive">
      <header className="panel-head">
        <h2>Events</h2>
        <div className="panel-actions">
          <button
            type="button"
            className="button ghost square"
            aria-label={paused ? "Go on" : "Pause"}
            onClick={() => setPaused(!paused)}
          >
            <Icon name={paused ? "play" : "pause"} />
          </button>
        </div>
      </header>
      <div className="panel-body">
        {events.error ? <Failure failure={events.error} onRetry={() => void events.refetch()} /> : null}
        {events.isPending ? <Skeleton rows={8} /> : null}
        {events.data && list.length === 0 ? (
          <Empty title="No events yet" icon="live">
            <Link to="/app/start">Connect your app</Link>
          </Empty>
        ) : null}
        <ol className="event-list">
          {list.map((event) => (
            <li key={event.id} className="event-row">
              <EventSummary event={event} short />
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
