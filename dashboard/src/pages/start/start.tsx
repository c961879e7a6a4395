import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { call } from "../../api/client.ts";
import { unwrap } from "../../api/forms.ts";
import { useSession } from "../../api/session.ts";
import { type RawSearch, text } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { Icon } from "../../ui/icon.tsx";
import { FormFailure } from "../sign-in/card.tsx";
import { Snippets } from "./snippets.tsx";
import "./start.css";

/** The second screen of the first minute: look at invented data, or connect the own app. */
export function Start() {
  const { step } = useSearch({ strict: false }) as RawSearch;
  return text(step) === "connect" ? <Connect /> : <Choose />;
}

function Choose() {
  const set = useSetSearch();
  return (
    <div className="start">
      <h1>How do you want to begin?</h1>
      <div className="start-choices">
        <DemoChoice />
        <section className="panel start-choice">
          <Icon name="terminal" size={22} />
          <h2>Connect my app</h2>
          <p>A few lines of code with your own write key. The first event shows up here as it arrives.</p>
          <button type="button" className="button large" onClick={() => set({ step: "connect" })}>
            Connect my app
          </button>
        </section>
      </div>
    </div>
  );
}

interface DemoState {
  state: "none" | "sending" | "ready" | "failed";
  projectId: string | null;
  done: number;
  total: number;
  message: string | null;
}

const POLL_MS = 300;

function DemoChoice() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { workspace } = useSession();
  const [begun, setBegun] = useState(false);
  const demo = useQuery({
    queryKey: ["demo", workspace.id],
    queryFn: ({ signal }) => unwrap<DemoState>({ path: "/api/demo", signal }),
    refetchInterval: begun ? POLL_MS : false,
  });
  const make = useMutation({
    mutationFn: () => unwrap<DemoState>({ method: "POST", path: "/api/demo", body: {} }),
    onSuccess: () => setBegun(true),
  });
  const { state = "none", projectId = null, done = 0, total = 1 } = demo.data ?? {};
  const open = async (project: string | null) => {
    await client.invalidateQueries({ queryKey: ["account"] });
    if (project !== null) await navigate({ to: "/app", search: { project } as never });
  };
  useEffect(() => {
    if (!begun || state !== "ready" || projectId === null) return;
    void client
      .invalidateQueries({ queryKey: ["account"] })
      .then(() => navigate({ to: "/app", search: { project: projectId } as never }));
  }, [begun, state, projectId, client, navigate]);
  const busy = make.isPending || state === "sending";
  return (
    <section className="panel start-choice">
      <Icon name="chart" size={22} />
      <h2>Show me with demo data</h2>
      <p>Thirty days of an invented exchange: visits, wallets, transactions, revenue. One click deletes it again.</p>
      {state === "ready" && !begun ? (
        <button type="button" className="button primary large" onClick={() => void open(projectId)}>
          Open the demo
        </button>
      ) : (
        <button
          type="button"
          className="button primary large"
          disabled={busy || !workspace.can.manageProjects}
          onClick={() => make.mutate()}
        >
          {busy ? "Sending events…" : "Show me with demo data"}
        </button>
      )}
      {busy ? <progress value={done} max={total} aria-label="Demo data" /> : null}
      {workspace.can.manageProjects ? null : <p className="note">Only owners and admins can make projects.</p>}
      <FormFailure
        failure={make.error ?? demo.error ?? (state === "failed" ? new Error(demo.data?.message ?? "") : null)}
      />
    </section>
  );
}

function Connect() {
  const { workspace, urls } = useSession();
  const { project } = useView();
  const set = useSetSearch();
  const [writeKey, setWriteKey] = useState("");
  const client = useQueryClient();
  const make = useMutation({
    mutationFn: () =>
      unwrap<{ key: string }>({
        method: "POST",
        path: "/api/settings/write-keys",
        body: { name: "My app", projectId: project },
      }),
    onSuccess: async ({ key }) => {
      setWriteKey(key);
      await client.invalidateQueries({ queryKey: ["settings"] });
    },
  });
  const shown = workspace.projects.find(({ id }) => id === project);
  return (
    <div className="start">
      <div className="form-title">
        <button
          type="button"
          className="button ghost square"
          aria-label="Back"
          onClick={() => set({ step: undefined })}
        >
          <Icon name="back" />
        </button>
        <h1>Connect {shown?.name ?? "your app"}</h1>
      </div>
      {writeKey === "" ? (
        <section className="panel start-panel">
          <p>
            Your app sends events to <code>{urls.events}</code> with a write key of the project. The key may stand in
            the site's code: it can only send events.
          </p>
          <div>
            <button
              type="button"
              className="button primary large"
              disabled={make.isPending || !workspace.can.manageKeys || project === undefined}
              onClick={() => make.mutate()}
            >
              <Icon name="key" /> Make a write key
            </button>
          </div>
          {workspace.can.manageKeys ? null : <p className="note">Only owners and admins can make keys.</p>}
          <FormFailure failure={make.error} />
        </section>
      ) : (
        <>
          <section className="panel start-panel" aria-label="Code">
            <Snippets writeKey={writeKey} />
          </section>
          <Waiting project={project ?? ""} writeKey={writeKey} />
        </>
      )}
    </div>
  );
}

interface IngestLine {
  received: number;
  stored: number;
  duplicate: number;
  parked: number;
  refused: number;
  reasons: readonly { reason: string; outcome: string; events: number; fix?: string }[];
}

interface FirstEvent {
  type: string;
  event: string;
  page_url?: string;
  page_path?: string;
  address?: string;
}

/** What has arrived since the key was made: the first event, or why events were not taken. */
function Waiting({ project, writeKey }: { project: string; writeKey: string }) {
  const { urls } = useSession();
  const ingest = useQuery({
    queryKey: ["ingest", project, "start"],
    queryFn: ({ signal }) => call<IngestLine>({ path: "/v0/ingest", query: { project_id: project }, signal }),
    refetchInterval: 1_000,
  });
  const newest = useQuery({
    queryKey: ["activity", project, "first"],
    queryFn: ({ signal }) =>
      call<{ data: readonly FirstEvent[] }>({ path: "/v0/activity", query: { project_id: project, limit: 1 }, signal }),
    refetchInterval: 1_000,
  });
  const test = useMutation({ mutationFn: () => sendTest(urls.events, writeKey) });
  const event = newest.data?.data[0];
  const troubles = ingest.data?.reasons.filter(({ outcome }) => outcome === "parked" || outcome === "refused") ?? [];
  return (
    <section className="panel start-panel" aria-label="First event" aria-live="polite">
      {event === undefined ? (
        <p className="start-waiting">
          <span className="start-pulse" /> Waiting for your first event…
        </p>
      ) : (
        <p className="start-waiting">
          <Icon name="check" />
          <strong>Your first event is here: {event.event || event.type}</strong>
          <span>{event.page_path ?? event.page_url ?? ""}</span>
          {event.address ? <code>{event.address}</code> : null}
        </p>
      )}
      {troubles.map(({ reason, outcome, events, fix }) => (
        <p key={`${outcome} ${reason}`} className="form-failure">
          {events} {outcome}: {reason}. {fix}
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
  if (!answer.ok) throw new Error(`The events server answered ${answer.status}.`);
}
