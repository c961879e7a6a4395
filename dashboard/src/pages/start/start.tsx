import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { unwrap } from "../../api/forms.ts";
import { useSession } from "../../api/session.ts";
import { type RawSearch, text } from "../../state/search.ts";
import { useSetSearch } from "../../state/view.ts";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Checklist } from "./checklist.tsx";
import { Connect } from "./connect.tsx";
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
      <Checklist />
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
      .then(() => navigate({ to: "/app", search: { project: projectId, segment: undefined } as never }));
  }, [begun, state, projectId, client, navigate]);
  const busy = make.isPending || state === "sending";
  return (
    <section className="panel start-choice">
      <Icon name="chart" size={22} />
      <h2>Show me with demo data</h2>
      <p>
        A hundred days of an invented exchange: visits, wallets, transactions, revenue, a form. One click deletes all of
        it again.
      </p>
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
