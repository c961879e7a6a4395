import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { EVENT_KIND_NAMES } from "../../../../src/contract/event-kinds.ts";
import { call } from "../../api/client.ts";
import { retryOnce } from "../../api/reports.ts";
import { valueName } from "../../format/names.ts";
import { type RawSearch, text } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { useDownload } from "../../ui/download.ts";
import { type ActivityEvent, EventSummary, EventWho } from "../../ui/event-row.tsx";
import { Icon } from "../../ui/icon.tsx";
import { NothingHere } from "../../ui/panel.tsx";
import { RequestDialog } from "../../ui/request-dialog.tsx";
import { SlowLine } from "../../ui/slow.tsx";
import { Failure, Skeleton } from "../../ui/states.tsx";
import { EventDetails } from "./event-details.tsx";
import "./activity.css";

interface ActivityPage {
  data: readonly ActivityEvent[];
  has_more: boolean;
  next_cursor: string | null;
}

/** What people look an event up by, and how such a text is recognized. */
const WHO = ["address", "anonymous_id", "session_id", "message_id"] as const;
const WHO_LABELS = { address: "Wallet", anonymous_id: "Visitor", session_id: "Session", message_id: "Message id" };

/** Every single event, newest first. */
export function Activity() {
  const view = useView();
  const set = useSetSearch();
  const search = useSearch({ strict: false }) as RawSearch;
  const [asked, setAsked] = useState(false);
  const { csv: download } = useDownload();
  const who = Object.fromEntries(WHO.map((name) => [name, text(search[name])]));
  const query = { ...view.query, bots: undefined, imported: undefined, type: text(search.type), ...who, limit: 50 };
  const request = { path: "/v0/activity", query };
  const pages = useInfiniteQuery({
    queryKey: ["activity", query],
    queryFn: ({ pageParam, signal }) =>
      call<ActivityPage>({ ...request, query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: 10_000,
    retry: retryOnce,
    enabled: view.project !== undefined,
  });
  const events = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <div className="activity-page">
      <div className="page-head">
        <div>
          <h1>Activity</h1>
          <p>Every event of the period, newest first. Times are UTC.</p>
        </div>
        <div className="page-tools">
          <button type="button" className="button" onClick={() => setAsked(true)}>
            <Icon name="terminal" />
            Request
          </button>
          <button
            type="button"
            className="button"
            disabled={events.length === 0}
            onClick={() => download("events", eventTable(events), query)}
          >
            <Icon name="download" />
            CSV
          </button>
          <button type="button" className="button" onClick={() => void pages.refetch()}>
            Refresh
          </button>
        </div>
      </div>
      <ActivityFilters who={who} type={text(search.type)} onChange={set} />
      <section className="panel" aria-label="Events" aria-busy={pages.isFetching}>
        <SlowLine active={pages.isFetching} queryKeys={[["activity", query]]} />
        <div className="panel-body activity-body">
          {pages.error ? <Failure failure={pages.error} onRetry={() => void pages.refetch()} /> : null}
          {pages.isPending ? <Skeleton rows={12} /> : null}
          {pages.data && events.length === 0 && !pages.hasNextPage ? <NothingHere /> : null}
          <EventList events={events} onFind={set} />
          {pages.hasNextPage ? (
            <button
              type="button"
              className="button more-button"
              disabled={pages.isFetchingNextPage}
              onClick={() => void pages.fetchNextPage()}
            >
              {pages.isFetchingNextPage ? "Loading…" : "Show more"}
            </button>
          ) : null}
        </div>
      </section>
      {asked ? <RequestDialog request={request} onClose={() => setAsked(false)} /> : null}
    </div>
  );
}

function EventList({ events, onFind }: { events: readonly ActivityEvent[]; onFind: (patch: RawSearch) => void }) {
  const [open, setOpen] = useState<string>();
  return (
    <ol className="event-list">
      {events.map((event) => (
        <li key={event.id}>
          <div className={open === event.id ? "event-row open" : "event-row"}>
            <button
              type="button"
              className="event-open"
              aria-expanded={open === event.id}
              onClick={() => setOpen(open === event.id ? undefined : event.id)}
            >
              <EventSummary event={event} />
            </button>
            <EventWho event={event} />
            <Icon name={open === event.id ? "up" : "down"} />
          </div>
          {open === event.id ? <EventDetails event={event} onFind={onFind} /> : null}
        </li>
      ))}
    </ol>
  );
}

interface ActivityFiltersProps {
  who: Readonly<Record<string, string | undefined>>;
  type: string | undefined;
  onChange: (patch: RawSearch) => void;
}

function ActivityFilters({ who, type, onChange }: ActivityFiltersProps) {
  const chosen = WHO.find((name) => who[name] !== undefined);
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get("wanted");
    const wanted = typeof typed === "string" ? typed.trim() : "";
    const none = Object.fromEntries(WHO.map((name) => [name, undefined]));
    onChange({ ...none, ...(wanted === "" ? {} : { [guess(wanted)]: wanted }) });
  };
  return (
    <div className="activity-filters">
      <label>
        <span className="hidden">Type of event</span>
        <select value={type ?? ""} onChange={({ target }) => onChange({ type: target.value || undefined })}>
          <option value="">All types</option>
          {EVENT_KIND_NAMES.map((name) => (
            <option key={name} value={name}>
              {valueName("type", name)}
            </option>
          ))}
        </select>
      </label>
      <form className="grow" onSubmit={find} key={chosen ? who[chosen] : ""}>
        <label>
          <span className="hidden">Wallet, visitor, session or message id</span>
          <input
            name="wanted"
            type="search"
            defaultValue={chosen ? who[chosen] : ""}
            placeholder="Wallet address, visitor id, session id…"
            spellCheck={false}
            autoComplete="off"
          />
        </label>
      </form>
      {chosen ? (
        <button type="button" className="button" onClick={() => onChange({ [chosen]: undefined })}>
          {WHO_LABELS[chosen]}: all
          <Icon name="close" size={12} />
        </button>
      ) : null}
    </div>
  );
}

/** An address begins with 0x, or is base58 of 32 to 44 characters; what else is typed is a visitor. */
function guess(wanted: string): (typeof WHO)[number] {
  return /^0x[0-9a-f]{6,}$/i.test(wanted) || /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(wanted) ? "address" : "anonymous_id";
}

function eventTable(events: readonly ActivityEvent[]) {
  const keys = ["timestamp", "type", "event", "page_path", "address", "user_id", "anonymous_id", "session_id"];
  return {
    columns: [...keys, "revenue", "volume", "properties"].map((key) => ({ key, label: key })),
    rows: events,
  };
}
