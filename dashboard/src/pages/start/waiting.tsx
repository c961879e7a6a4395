import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { call } from "../../api/client.ts";
import { unwrap } from "../../api/forms.ts";
import type { Ingest } from "../../api/ingest.ts";
import { useSession } from "../../api/session.ts";
import { agoText } from "../../format/dates.ts";
import { full } from "../../format/numbers.ts";
import { REASONS } from "../../format/reasons.ts";
import { Address } from "../../ui/address.tsx";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { hasKey } from "./checklist.tsx";

const EVERY_MS = 1_000;
const SHOWN_KEYS = 3;

interface NewestEvent {
  type: string;
  event: string;
  received_at: string;
  page_path?: string;
  address?: string;
}

/** What arrives while the page is open: the first event, or why events were not taken. */
export function Waiting({ project, writeKey }: { project: string; writeKey: string }) {
  const { urls } = useSession();
  const [openedMs] = useState(() => Date.now());
  const ingest = useQuery({
    queryKey: ["ingest", project, "start"],
    queryFn: ({ signal }) => call<Ingest>({ path: "/v0/ingest", query: { project_id: project }, signal }),
    refetchInterval: EVERY_MS,
  });
  const newest = useQuery({
    queryKey: ["activity", project, "first"],
    queryFn: ({ signal }) =>
      call<{ data: readonly NewestEvent[] }>({
        path: "/v0/activity",
        query: { project_id: project, limit: 1 },
        signal,
      }),
    refetchInterval: EVERY_MS,
  });
  const test = useMutation({ mutationFn: () => sendTest(urls.events, writeKey) });
  const event = newest.data?.data[0];
  useTickChecklist(project, event?.type);
  const troubles = ingest.data?.reasons ?? [];
  return (
    <section className="panel start-panel" aria-label="First event" aria-live="polite">
      <Arrived event={event} openedMs={openedMs} />
      <UnknownKeys />
      {troubles.map(({ reason, outcome, events }) => (
        <p key={`${outcome} ${reason}`} className="form-failure">
          {events} {outcome} in the last hour (<code>{reason}</code>). {REASONS[reason] ?? ""}
        </p>
      ))}
      <div className="settings-line">
        <button type="button" className="button" disabled={test.isPending} onClick={() => test.mutate()}>
          Send a test event from this browser
        </button>
        {test.isSuccess ? <span role="status">Sent.</span> : null}
      </div>
      <FormFailure failure={test.error} />
    </section>
  );
}

interface UnknownKey {
  prefix: string;
  requests: number;
  lastAt: string;
}

/** A wrong key is the commonest mistake, and no project's: the requests of the whole installation are shown. */
function UnknownKeys() {
  const { workspace } = useSession();
  const { data = [] } = useQuery({
    queryKey: ["unknown-write-keys"],
    queryFn: ({ signal }) => unwrap<readonly UnknownKey[]>({ path: "/api/settings/unknown-write-keys", signal }),
    enabled: workspace.can.manageKeys,
    refetchInterval: EVERY_MS,
  });
  return data.slice(0, SHOWN_KEYS).map(({ prefix, requests, lastAt }) => (
    <p key={prefix} className="form-failure">
      {full(requests, "count")} {requests === 1 ? "request" : "requests"}{" "}
      {prefix === "" ? (
        "without a write key"
      ) : (
        <>
          with an unknown key <code>{prefix}…</code>
        </>
      )}
      , last {agoText(Date.parse(lastAt), Date.now())}. Nothing of {requests === 1 ? "it" : "them"} is kept: send the
      whole key that is in the code above.
    </p>
  ));
}

/** The list of what is done must not deny what stands above it. */
function useTickChecklist(project: string, type: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (type === undefined) return;
    for (const key of [undefined, type]) {
      // An answer from before the event would overwrite it.
      void client.cancelQueries({ queryKey: hasKey(project, key), exact: true });
      client.setQueryData(hasKey(project, key), true);
    }
  }, [client, project, type]);
}

/** The clocks of browser and service may differ by a little. */
const CLOCKS_MS = 2_000;

function Arrived({ event, openedMs }: { event: NewestEvent | undefined; openedMs: number }) {
  const receivedMs = event === undefined ? undefined : Date.parse(event.received_at);
  if (event === undefined || receivedMs === undefined || receivedMs < openedMs - CLOCKS_MS) {
    return (
      <p className="start-waiting">
        <span className="start-pulse" />
        <span className="start-waiting-text">
          {receivedMs === undefined
            ? "Waiting for your first event…"
            : `Waiting for an event. The newest came ${agoText(receivedMs, Date.now())}.`}
        </span>
      </p>
    );
  }
  return (
    <p className="start-waiting">
      <Icon name="check" />
      <strong>Your event is here: {event.event || event.type}</strong>
      <span>{event.page_path ?? ""}</span>
      {event.address ? <Address isSeen address={event.address} whole /> : null}
      <Link to="/app" search={{ period: "today" } as never} className="button primary">
        Open the overview
      </Link>
    </p>
  );
}

async function sendTest(eventsUrl: string, writeKey: string): Promise<void> {
  const event = {
    channel: "web",
    type: "page",
    version: "1",
    anonymous_id: "sextant-test",
    context: {
      page_url: location.href.split("?")[0],
      page_title: "Test from the dashboard",
      locale: navigator.language,
    },
  };
  const answer = await fetch(`${eventsUrl}/v0/raw_events`, {
    method: "POST",
    headers: { Authorization: `Bearer ${writeKey}`, "Content-Type": "application/json" },
    body: JSON.stringify([event]),
  }).catch(() => undefined);
  if (answer === undefined)
    throw new Error(
      `This browser cannot reach ${eventsUrl}. Set SEXTANT_PUBLIC_EVENTS_URL to an address it can reach.`,
    );
  if (answer.status === 401)
    throw new Error("The write key is not known here, or has been revoked. Use another key, or make one.");
  if (!answer.ok) throw new Error(`The events server answered ${answer.status}.`);
}
