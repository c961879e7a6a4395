import { sql } from "kysely";
import type { FindMark, Start } from "../control/long-list.ts";
import type { Reader } from "../control/store.ts";
import { isId } from "../lib/ids.ts";
import type { DeliveryState } from "./delivery-states.ts";

/** One attempt, as the delivery log shows it. */
export interface LoggedAttempt {
  number: number;
  startedAtMs: number;
  durationMs: number;
  outcome: "answered" | "refused" | "failed";
  status: number | null;
  reason: string | null;
}

export interface LoggedDelivery {
  id: string;
  webhookId: string;
  eventType: string;
  sequence: number;
  state: DeliveryState;
  dueAtMs: number;
  createdAtMs: number;
  settledAtMs: number | null;
  /** A sample that was asked for, no event of a form. */
  isTest: boolean;
}

const COLUMNS = ["id", "webhook_id", "event_type", "sequence", "state", "due_at", "created_at", "settled_at"] as const;

/** The mark stands before the envelope; no answer can have it, because quotes in a text are escaped (outbox.ts). */
const isTest = sql<number | boolean>`payload like '%"isTest":true,"eventType":"%'`.as("is_test");

export async function countDeliveries(db: Reader, workspaceId: string, webhookId: string): Promise<number> {
  const row = await db
    .selectFrom("delivery_counts")
    .select("n")
    .where("webhook_id", "=", webhookId)
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
  return row?.n ?? 0;
}

/** For steps through the list. A mark is a sequence number. */
export function findDeliveryMark(db: Reader, workspaceId: string, webhookId: string): FindMark<number> {
  return async (start) => {
    const found = selectDeliveries(db, workspaceId, webhookId, { limit: 1, start }).select("sequence");
    return (await found.executeTakeFirst())?.sequence;
  };
}

/** Newest first. */
export async function listDeliveries(
  db: Reader,
  workspaceId: string,
  webhookId: string,
  window: Window,
): Promise<LoggedDelivery[]> {
  const rows = await selectDeliveries(db, workspaceId, webhookId, window)
    .select([...COLUMNS, isTest])
    .execute();
  return rows.map(toDelivery);
}

interface Window {
  limit: number;
  start: Start<number>;
}

function selectDeliveries(db: Reader, workspaceId: string, webhookId: string, { limit, start }: Window) {
  return db
    .selectFrom("deliveries")
    .where("webhook_id", "=", webhookId)
    .where("workspace_id", "=", workspaceId)
    .where("sequence", "<", start.after ?? Number.MAX_SAFE_INTEGER)
    .orderBy("sequence", "desc")
    .limit(limit)
    .offset(start.skip);
}

export async function findLoggedDelivery(
  db: Reader,
  workspaceId: string,
  webhookId: string,
  deliveryId: string,
): Promise<(LoggedDelivery & { payload: string }) | undefined> {
  if (!isId("dlv", deliveryId)) return undefined;
  const row = await db
    .selectFrom("deliveries")
    .select([...COLUMNS, "payload", isTest])
    .where("id", "=", deliveryId)
    .where("webhook_id", "=", webhookId)
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
  return row && { ...toDelivery(row), payload: row.payload };
}

/** The attempts of deliveries, by delivery. The caller has found these deliveries in its own workspace. */
export async function listAttempts(db: Reader, deliveryIds: readonly string[]): Promise<Map<string, LoggedAttempt[]>> {
  if (deliveryIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("delivery_attempts")
    .select(["delivery_id", "number", "started_at", "duration_ms", "outcome", "status", "reason"])
    .where("delivery_id", "in", deliveryIds)
    .orderBy("number")
    .execute();
  const grouped = Map.groupBy(rows, (row) => row.delivery_id);
  return new Map([...grouped].map(([id, attempts]) => [id, attempts.map(toAttempt)]));
}

/** The targets' answers, by attempt number. */
export async function listResponses(db: Reader, deliveryId: string): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom("delivery_attempts")
    .select(["number", "response"])
    .where("delivery_id", "=", deliveryId)
    .where("response", "is not", null)
    .execute();
  return new Map(rows.map((row) => [row.number, row.response ?? ""]));
}

function toAttempt(row: {
  number: number;
  started_at: number;
  duration_ms: number;
  outcome: LoggedAttempt["outcome"];
  status: number | null;
  reason: string | null;
}): LoggedAttempt {
  const { number, outcome, status, reason } = row;
  return { number, startedAtMs: row.started_at, durationMs: row.duration_ms, outcome, status, reason };
}

function toDelivery(row: {
  id: string;
  webhook_id: string;
  event_type: string;
  sequence: number;
  state: DeliveryState;
  due_at: number;
  created_at: number;
  settled_at: number | null;
  is_test: number | boolean;
}): LoggedDelivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventType: row.event_type,
    sequence: row.sequence,
    state: row.state,
    dueAtMs: row.due_at,
    createdAtMs: row.created_at,
    settledAtMs: row.settled_at,
    isTest: Boolean(row.is_test),
  };
}
