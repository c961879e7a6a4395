/**
 * A form with subscriptions on a real store, a clock that the test moves, and workers over a sender that the test
 * chooses.
 */
import type { EventType } from "../../src/contract/webhook-events.ts";
import { createSecretBox } from "../../src/control/secret-box.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { createWorkspace } from "../../src/control/tenants.ts";
import type { BackendName } from "../../src/engines/control.ts";
import { createForm } from "../../src/forms/manage.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { recordEvent } from "../../src/webhooks/outbox.ts";
import type { AttemptOutcome, AttemptRequest } from "../../src/webhooks/send.ts";
import type { SlotLimits } from "../../src/webhooks/slots.ts";
import { subscribe } from "../../src/webhooks/subscribe.ts";
import { type DeliveryWorker, startWorker } from "../../src/webhooks/worker.ts";
import { TEST_SECRET } from "./api.ts";
import { createControl } from "./control.ts";

export const START_MS = Date.parse("2026-01-05T12:00:00Z");

export interface TestClock extends Clock {
  /** How often it was asked: a worker asks with every look. */
  reads(): number;
  move(byMs: number): void;
  set(ms: number): void;
}

export function createTestClock(startMs = START_MS): TestClock {
  let nowMs = startMs;
  let reads = 0;
  return {
    reads: () => reads,
    nowMs() {
      reads += 1;
      return nowMs;
    },
    move(byMs) {
      nowMs += byMs;
    },
    set(ms) {
      nowMs = ms;
    },
  };
}

export type FakeSend = (request: AttemptRequest) => Promise<AttemptOutcome> | AttemptOutcome;

export function answer(status: number, retryAfterMs?: number): AttemptOutcome {
  return {
    kind: "answered",
    status,
    bodyExcerpt: "said",
    durationMs: 1,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

export interface TestHooks {
  store: ControlStore;
  workspaceId: string;
  formId: string;
  clock: TestClock;
  logs: string[];
  newForm(): Promise<string>;
  subscribe(targetUrl: string, options?: { types?: readonly EventType[]; formId?: string }): Promise<TestHook>;
  /** Writes the deliveries of a submission to the outbox; returns their number. */
  submit(body?: Record<string, unknown>, formId?: string): Promise<number>;
  start(send: FakeSend, options?: { limits?: SlotLimits; random?: () => number; steady?: Clock }): DeliveryWorker;
  deliveries(
    webhookId?: string,
  ): Promise<{ id: string; state: string; tries: number; attempts: number; due_at: number }[]>;
  attempts(deliveryId: string): Promise<{ number: number; started_at: number; status: number | null }[]>;
  drop(): Promise<void>;
}

export interface TestHook {
  webhookId: string;
  secret: string;
}

export async function createHooks(backend: BackendName): Promise<TestHooks> {
  const control = await createControl(backend);
  const { store } = control;
  const clock = createTestClock();
  const box = createSecretBox(TEST_SECRET, "webhook secrets");
  const logs: string[] = [];
  const workers: DeliveryWorker[] = [];
  const workspaceId = await store.write(async (tx) => (await createWorkspace(tx, "Hooks", START_MS)).id);
  const newForm = () =>
    store.write(async (tx) => (await createForm(tx, workspaceId, { title: "Hello", fields: [] }, START_MS)).id);
  const formId = await newForm();
  return {
    store,
    workspaceId,
    formId,
    clock,
    logs,
    newForm,
    async subscribe(targetUrl, options = {}) {
      const wanted = { formId: options.formId ?? formId, targetUrl, eventTypes: options.types ?? ["FORM_SUBMISSION"] };
      const made = await store.write((tx) =>
        subscribe(tx, workspaceId, wanted, { backend: store.backend, box, nowMs: clock.nowMs() }),
      );
      return { webhookId: made.webhookId, secret: made.secret ?? "" };
    },
    submit: (body = {}, toForm = formId) =>
      store.write((tx) =>
        recordEvent(tx, workspaceId, {
          source: { kind: "form", id: toForm },
          type: "FORM_SUBMISSION",
          body: { formId: toForm, ...body },
          nowMs: clock.nowMs(),
        }),
      ),
    start(send, options = {}) {
      const worker = startWorker({
        store,
        box,
        send: async (request) => send(request),
        clock,
        steady: options.steady ?? clock,
        random: options.random ?? (() => 0),
        log: { warn: (fields, message) => void logs.push(`${message} ${JSON.stringify(fields)}`) },
        observe: { started: () => undefined, attempted: () => undefined, settled: () => undefined },
        ...(options.limits ? { limits: options.limits } : {}),
      });
      workers.push(worker);
      return worker;
    },
    deliveries: (webhookId) => {
      let query = store.read.selectFrom("deliveries").select(["id", "state", "tries", "attempts", "due_at"]);
      if (webhookId !== undefined) query = query.where("webhook_id", "=", webhookId);
      return query.orderBy("webhook_id").orderBy("sequence").execute();
    },
    attempts: (deliveryId) =>
      store.read
        .selectFrom("delivery_attempts")
        .select(["number", "started_at", "status"])
        .where("delivery_id", "=", deliveryId)
        .orderBy("number")
        .execute(),
    async drop() {
      for (const worker of workers) await worker.stop(0);
      await control.drop();
    },
  };
}
