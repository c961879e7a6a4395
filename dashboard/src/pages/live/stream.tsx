import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useView } from "../../state/view.ts";
import { EventSummary, EventWho } from "../../ui/event-row.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { useStream } from "./use-stream.ts";

/** Events as they arrive, newest first. */
export function Stream() {
  const { project, segment } = useView();
  const [paused, setPaused] = useState(false);
  const { events, isPending, error, isConnected, refetch } = useStream(project, segment, paused);
  return (
    <section className="panel stream" aria-label="Events as they arrive">
      <header className="panel-head">
        <h2>
          Events <span className="light">{paused ? "paused" : isConnected ? "as they arrive" : "connecting…"}</span>
        </h2>
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
        {error ? <Failure failure={error} onRetry={refetch} /> : null}
        {isPending ? <Skeleton rows={8} /> : null}
        {!isPending && !error && events.length === 0 ? (
          <Empty title="No events yet" icon="live">
            <Link to="/app/start">Connect your app</Link>
          </Empty>
        ) : null}
        <ol className="event-list">
          {events.map((event) => (
            <li key={event.id} className="event-row">
              <EventSummary event={event} short="zone" />
              <EventWho event={event} />
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
