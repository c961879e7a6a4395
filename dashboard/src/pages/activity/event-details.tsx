import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import type { RawSearch } from "../../state/search.ts";
import { useView } from "../../state/view.ts";
import { Address } from "../../ui/address.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import type { ActivityEvent } from "../../ui/event-row.tsx";
import { ExplorerLink } from "../../ui/explorer-link.tsx";
import { ScrollingCode } from "../../ui/scroll-region.tsx";

interface EventDetailsProps {
  event: ActivityEvent;
  onFind: (patch: RawSearch) => void;
}

const HIDDEN = new Set(["context", "properties", "extra", "omitted", "id", "project_id"]);

/** The wallet, and where its chain shows it. */
function Who({ event: { address, chain_id } }: { event: ActivityEvent }) {
  return (
    <>
      <Address isSeen address={address} whole />{" "}
      {typeof chain_id === "string" ? <ExplorerLink chain={chain_id} address={address} /> : null}
    </>
  );
}

/** All there is to know of one event. Everything is shown as text. */
export function EventDetails({ event, onFind }: EventDetailsProps) {
  const { project } = useView();
  const isShort = (event.omitted?.length ?? 0) > 0;
  const whole = useQuery({
    queryKey: ["event", event.id],
    queryFn: ({ signal }) =>
      call<ActivityEvent>({
        path: `/v0/activity/${encodeURIComponent(event.id)}`,
        query: { project_id: project },
        signal,
      }),
    enabled: isShort,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const shown = whole.data ?? event;
  const columns = Object.entries(shown).filter(
    ([name, value]) => !HIDDEN.has(name) && value !== "" && value !== 0 && value !== null,
  );
  return (
    <div className="event-details">
      <dl>
        {columns.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{name === "address" ? <Who event={shown} /> : String(value)}</dd>
          </div>
        ))}
      </dl>
      <div className="event-bodies">
        <Body title="properties" value={shown.properties} />
        <Body title="context" value={shown.context} />
      </div>
      <div className="event-actions">
        {event.address ? (
          <button type="button" className="button small" onClick={() => onFind({ address: event.address })}>
            All of this wallet
          </button>
        ) : null}
        {event.anonymous_id ? (
          <button type="button" className="button small" onClick={() => onFind({ anonymous_id: event.anonymous_id })}>
            All of this visitor
          </button>
        ) : null}
        {event.session_id ? (
          <button type="button" className="button small" onClick={() => onFind({ session_id: event.session_id })}>
            All of this session
          </button>
        ) : null}
      </div>
    </div>
  );
}

function Body({ title, value }: { title: string; value: unknown }) {
  if (value === null || value === undefined) return null;
  const text = JSON.stringify(value, null, 2);
  return (
    <section>
      <header>
        <h3>{title}</h3>
        <CopyButton text={text} label={`Copy ${title}`} />
      </header>
      <ScrollingCode text={text} />
    </section>
  );
}
