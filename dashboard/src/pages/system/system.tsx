import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { unwrap } from "../../api/forms.ts";
import { useSession } from "../../api/session.ts";
import { momentText } from "../../format/dates.ts";
import { duration, full } from "../../format/numbers.ts";
import { REASONS } from "../../format/reasons.ts";
import { useView } from "../../state/view.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import type { Ingest } from "../overview/ingest-line.tsx";
import { FormFailure } from "../sign-in/card.tsx";
import "./system.css";

const EVERY_MS = 10_000;
const SPANS = [
  { value: "1", label: "1 hour" },
  { value: "24", label: "24 hours" },
  { value: "168", label: "7 days" },
] as const;
const OUTCOMES = ["stored", "duplicate", "parked", "refused"] as const;

interface Series extends Ingest {
  series: { at: string; received: number; stored: number; duplicate: number; parked: number; refused: number }[];
}

/** What became of received events, and the state of the service. */
export function System() {
  const { version, urls } = useSession();
  const { project } = useView();
  return (
    <div className="system">
      <header className="page-head">
        <div>
          <h1>System</h1>
          <p>
            Sextant {version}. API <code>{urls.api}</code>, events <code>{urls.events}</code>
          </p>
        </div>
      </header>
      <Ledger key={project} />
      <Parked key={`parked ${project}`} />
    </div>
  );
}

function Ledger() {
  const { project } = useView();
  const [hours, setHours] = useState<(typeof SPANS)[number]["value"]>("24");
  const ledger = useQuery({
    queryKey: ["ingest", project, hours],
    queryFn: ({ signal }) => call<Series>({ path: "/v0/ingest", query: { project_id: project, hours }, signal }),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
  return (
    <section className="panel" aria-label="Ledger">
      <header className="panel-head">
        <h2>What happened to every event</h2>
        <div className="panel-actions">
          <Segmented label="Span" options={SPANS} value={hours} onChange={setHours} />
        </div>
      </header>
      <div className="panel-body">
        {ledger.error ? <Failure failure={ledger.error} onRetry={() => void ledger.refetch()} /> : null}
        {ledger.isPending ? <Skeleton rows={4} /> : null}
        {ledger.data ? <Outcomes data={ledger.data} /> : null}
      </div>
    </section>
  );
}

function Outcomes({ data }: { data: Series }) {
  const most = Math.max(1, ...data.series.map(({ received }) => received));
  return (
    <>
      <dl className="system-numbers">
        <div>
          <dt>received</dt>
          <dd>{full(data.received, "count")}</dd>
        </div>
        {OUTCOMES.map((name) => (
          <div key={name}>
            <dt>
              <span className={`system-dot ${name}`} /> {name}
            </dt>
            <dd>{full(data[name], "count")}</dd>
          </div>
        ))}
        <div>
          <dt>in reports after</dt>
          <dd>{data.lag_seconds === null ? "another node knows" : duration(data.lag_seconds)}</dd>
        </div>
      </dl>
      <div className="system-bars" role="img" aria-label="Received events over time, by outcome">
        {data.series.map((step) => (
          <div
            key={step.at}
            className="system-bar"
            title={`${momentText(Date.parse(step.at))}: ${full(step.received, "count")}`}
          >
            {OUTCOMES.map((name) => (
              <span key={name} className={name} style={{ height: `${(step[name] / most) * 100}%` }} />
            ))}
          </div>
        ))}
      </div>
      {data.reasons.length > 0 ? (
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Outcome</th>
              <th scope="col">Reason and what to do</th>
              <th scope="col" className="number">
                Events
              </th>
            </tr>
          </thead>
          <tbody>
            {data.reasons.map(({ outcome, reason, events }) => (
              <tr key={`${outcome} ${reason}`}>
                <td>{outcome}</td>
                <td>
                  <code>{reason}</code> {REASONS[reason] ?? ""}
                </td>
                <td className="number">{full(events, "count")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </>
  );
}

interface ParkedEvent {
  id: string;
  received_at: string;
  reason: string;
  details: string;
  head: string;
  raw_bytes: number;
}

interface ParkedPage {
  data: readonly ParkedEvent[];
  has_more: boolean;
  next_cursor: string | null;
}

function Parked() {
  const { project } = useView();
  const { workspace } = useSession();
  const client = useQueryClient();
  const [shown, setShown] = useState<ParkedEvent>();
  const list = useInfiniteQuery({
    queryKey: ["parked", project],
    queryFn: ({ signal, pageParam }) =>
      call<ParkedPage>({ path: "/v0/parked", query: { project_id: project, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  const replay = useMutation({
    mutationFn: (id: string | undefined) =>
      unwrap<{ stored: number; stillInvalid: number }>({
        method: "POST",
        path: "/api/parked/replay",
        body: { projectId: project, ...(id === undefined ? {} : { id }) },
      }),
    onSuccess: async () => {
      setShown(undefined);
      await Promise.all(["parked", "ingest"].map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
  });
  const events = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const canReplay = workspace.can.edit;
  return (
    <section className="panel" aria-label="Parked events">
      <header className="panel-head">
        <h2>Parked events</h2>
        <div className="panel-actions">
          {canReplay && events.length > 0 ? (
            <button
              type="button"
              className="button small"
              disabled={replay.isPending}
              onClick={() => replay.mutate(undefined)}
            >
              {replay.isPending ? "Replaying…" : "Replay all"}
            </button>
          ) : null}
        </div>
      </header>
      <div className="panel-body">
        {replay.data ? (
          <p role="status">
            {full(replay.data.stored, "count")} stored, {full(replay.data.stillInvalid, "count")} still invalid.
          </p>
        ) : null}
        <FormFailure failure={replay.error} />
        {list.error ? <Failure failure={list.error} onRetry={() => void list.refetch()} /> : null}
        {list.isPending ? <Skeleton rows={3} /> : null}
        {list.data && events.length === 0 ? (
          <Empty title="Nothing is parked" icon="check">
            Invalid events of a batch are kept here for 30 days, with their reason.
          </Empty>
        ) : null}
        {events.length > 0 ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
          <section className="table-scroll" aria-label="Parked" tabIndex={0}>
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Received</th>
                  <th scope="col">Reason</th>
                  <th scope="col">What is wrong</th>
                  <th scope="col">
                    <span className="hidden">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {events.map((event) => (
                  <tr key={event.id}>
                    <td className="nowrap">{momentText(Date.parse(event.received_at))}</td>
                    <td>
                      <code>{event.reason}</code>
                    </td>
                    <td className="system-details">{event.details}</td>
                    <td className="nowrap">
                      <button type="button" className="button small" onClick={() => setShown(event)}>
                        Details
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        ) : null}
        {list.hasNextPage ? (
          <button
            type="button"
            className="button"
            disabled={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more
          </button>
        ) : null}
      </div>
      {shown ? (
        <Dialog title="Parked event" onClose={() => setShown(undefined)} wide>
          <p>{REASONS[shown.reason] ?? shown.reason}</p>
          <p>{shown.details}</p>
          <pre className="code">{shown.head}</pre>
          {shown.raw_bytes > shown.head.length ? (
            <p className="note">The beginning of {full(shown.raw_bytes, "count")} bytes.</p>
          ) : null}
          <FormFailure failure={replay.error} />
          {canReplay ? (
            <div className="dialog-actions">
              <button
                type="button"
                className="button primary"
                disabled={replay.isPending}
                onClick={() => replay.mutate(shown.id)}
              >
                Replay it
              </button>
            </div>
          ) : null}
        </Dialog>
      ) : null}
    </section>
  );
}
