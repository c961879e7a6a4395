/** An evaluator on a real engine and a real store, and the events and alerts that tests give it. */
import { getAlert } from "../../src/alerts/alerts-table.ts";
import { createEvaluator, type Evaluator } from "../../src/alerts/evaluate/evaluator.ts";
import type { EventReader } from "../../src/alerts/evaluate/new-events.ts";
import { createPageUrl } from "../../src/alerts/page-url.ts";
import { createAlert, patchAlert } from "../../src/alerts/write-alert.ts";
import type { AlertBody, AlertChanges } from "../../src/contract/alerts.ts";
import { createSecretBox } from "../../src/control/secret-box.ts";
import { createProject, createWorkspace } from "../../src/control/tenants.ts";
import type { BackendName } from "../../src/engines/control.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { dayOf, MINUTE_MS } from "../../src/lib/time.ts";
import { TEST_SECRET } from "../support/api.ts";
import { BLANK_ROW } from "../support/blank-row.ts";
import { createControl } from "../support/control.ts";

export type EventFields = Readonly<Record<string, string | number>> & { readonly message_id: string };

/** Of the body of a stored delivery. */
export interface Told {
  readonly id: string;
  readonly type: string;
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly count?: number;
}

const signal = new AbortController().signal;

export async function useEvaluator(engine: AnalyticsEngine, backend: BackendName, startMs: number) {
  const control = await createControl(backend);
  const { store } = control;
  const box = createSecretBox(TEST_SECRET, "webhook secrets");
  const { workspaceId, projectId } = await store.write(async (tx) => {
    const workspace = await createWorkspace(tx, "W", 1);
    return { workspaceId: workspace.id, projectId: (await createProject(tx, workspace.id, "P", 1)).id };
  });
  const owner = { workspaceId, projectId: null };
  let nowMs = startMs;
  const matches = { looked: 0 };

  const again = (reader: EventReader = engine): Evaluator =>
    createEvaluator({
      store,
      engine: reader,
      clock: { nowMs: () => nowMs },
      pageUrl: createPageUrl(() => "https://s.example"),
      wakeDelivery: () => undefined,
      observe: { looked: (events) => (matches.looked += events), fired: () => undefined },
      isMine: () => true,
    });
  let evaluator = again();

  return {
    store,
    engine,
    workspaceId,
    projectId,
    matches,
    again,
    now: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** As a process that was killed and started: nothing is remembered. */
    restart: () => {
      evaluator = again();
    },
    round: () => evaluator.round(signal),
    addProject: (name = "Other") => store.write(async (tx) => (await createProject(tx, workspaceId, name, 1)).id),
    async create(body: Partial<AlertBody>, ofProject = projectId): Promise<string> {
      const whole = {
        name: "Alert",
        trigger_type: "event",
        trigger_filters: [],
        recipient: [{ type: "webhook", value: ["https://t.example/hook"] }],
        ...body,
      } as AlertBody;
      return store.write((tx) =>
        createAlert(tx, workspaceId, { projectId: ofProject, userId: null, body: whole }, { box, nowMs }),
      );
    },
    change: (id: string, changes: AlertChanges) =>
      store.write((tx) => patchAlert(tx, owner, { id, changes }, { box, nowMs })),
    find: (id: string) => getAlert(store.read, owner, id),
    /** Stores them as the writer does: with their entries in the ledger. `receivedMs` is now unless it is given. */
    async send(events: readonly EventFields[], { receivedMs = nowMs, ofProject = projectId } = {}): Promise<void> {
      const rows = events.map((event) => ({
        ...BLANK_ROW,
        project_id: ofProject,
        timestamp: receivedMs,
        received_at: receivedMs,
        dedupe_day: dayOf(receivedMs),
        type: "track",
        context: "{}",
        properties: "{}",
        anonymous_id: "v",
        ...event,
      }));
      const stored = await engine.importRows("events", rows);
      const minute = (Math.floor(receivedMs / MINUTE_MS) * MINUTE_MS) / 1000;
      const common = { project_id: ofProject, minute, reason: "", day: dayOf(receivedMs) };
      if (stored > 0) await engine.importRows("ledger", [{ ...common, outcome: "stored", events: stored }]);
    },
    /** The bodies of all deliveries, in the order of their sequence. */
    async told(): Promise<Told[]> {
      const rows = await store.read.selectFrom("deliveries").select("payload").orderBy("sequence").execute();
      return rows.map(({ payload }) => JSON.parse(payload) as Told);
    },
    async ids(): Promise<string[]> {
      return (await this.told()).flatMap(({ data }) => data.map(({ message_id }) => String(message_id))).sort();
    },
    stop: control.drop,
  };
}
