/** Alerts as rows of the control store. */
import { sql } from "kysely";
import { ALERT_LIMITS, type TriggerType } from "../contract/alerts.ts";
import { ApiError } from "../contract/errors.ts";
import { lockProject } from "../control/lock-rows.ts";
import { type Page, type Paging, toPage, windowOf } from "../control/page.ts";
import { type Author, authorOf, countItems, ifSeen, type Owner } from "../control/project-items.ts";
import type { Reader, Tx } from "../control/store.ts";
import { isId, newId } from "../lib/ids.ts";
import type { AlertFilter } from "./conditions.ts";
import { type Storm, stormOf } from "./evaluate/storm.ts";
import type { GivenRecipient } from "./recipients.ts";

export interface Alert {
  id: string;
  workspaceId: string;
  projectId: string;
  name: string;
  trigger: TriggerType;
  filters: readonly AlertFilter[];
  /** Of a metric alert: see metric/. */
  metric: Readonly<Record<string, unknown>> | null;
  recipients: readonly GivenRecipient[];
  propertyKeys: readonly string[];
  sealedSecret: string | null;
  includeImported: boolean;
  status: "active" | "inactive";
  statusReason: string | null;
  /** Of a metric alert. */
  state: string | null;
  mutedUntilMs: number | null;
  activeSinceMs: number;
  failures: number;
  lastFiredAtMs: number | null;
  /** JSON, of a metric alert: its last evaluation, of this or of an earlier definition. */
  evaluation: { memory: string; activeSinceMs: number } | null;
  storm: Storm;
  createdBy: Author;
  createdAtMs: number;
  updatedAtMs: number | null;
}

/** What a write sets. */
export interface AlertFields {
  name: string;
  trigger: TriggerType;
  filters: readonly AlertFilter[];
  metric: Readonly<Record<string, unknown>> | null;
  recipients: readonly GivenRecipient[];
  propertyKeys: readonly string[];
  sealedSecret: string | null;
  includeImported: boolean;
  status: "active" | "inactive";
  mutedUntilMs: number | null;
}

/** Newest first. */
export async function listAlerts(
  db: Reader,
  workspaceId: string,
  projectIds: readonly string[],
  paging: Paging,
): Promise<Page<Alert>> {
  if (projectIds.length === 0) return toPage(paging, [], 0);
  const { limit, offset } = windowOf(paging);
  const rows = await select(db)
    .where("alerts.workspace_id", "=", workspaceId)
    .where("alerts.project_id", "in", projectIds)
    .orderBy("alerts.created_at", "desc")
    .orderBy("alerts.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return toPage(paging, rows.map(toAlert), await countItems(db, "alerts", workspaceId, projectIds));
}

/** Undefined if the key sees no such alert. */
export async function findAlert(db: Reader, owner: Owner, id: string): Promise<Alert | undefined> {
  if (!isId("alrt", id)) return undefined;
  const row = await select(db)
    .where("alerts.workspace_id", "=", owner.workspaceId)
    .where("alerts.id", "=", id)
    .executeTakeFirst();
  const seen = ifSeen(owner, row);
  return seen && toAlert(seen);
}

export async function getAlert(db: Reader, owner: Owner, id: string): Promise<Alert> {
  const alert = await findAlert(db, owner, id);
  if (alert === undefined) throw new ApiError("NOT_FOUND", "There is no such alert");
  return alert;
}

/** Of all workspaces, in the order of their ids: the active ones of these triggers. */
export async function listActiveAlerts(db: Reader, triggers: readonly TriggerType[]): Promise<Alert[]> {
  const rows = await select(db)
    .where("alerts.status", "=", "active")
    .where("alerts.trigger_type", "in", triggers)
    .orderBy("alerts.id")
    .execute();
  return rows.map(toAlert);
}

export function newAlertId(): string {
  return newId("alrt");
}

/** It looks at what is received from now on. */
export async function insertAlert(
  tx: Tx,
  workspaceId: string,
  { id, projectId, userId, fields }: { id: string; projectId: string; userId: string | null; fields: AlertFields },
  nowMs: number,
): Promise<void> {
  const { perProject } = ALERT_LIMITS;
  await lockProject(tx, workspaceId, projectId);
  if ((await countItems(tx, "alerts", workspaceId, [projectId])) >= perProject)
    throw new ApiError("CONFLICT", `A project has at most ${perProject} alerts: delete some`);
  await tx
    .insertInto("alerts")
    .values({
      id,
      workspace_id: workspaceId,
      project_id: projectId,
      ...toColumns(fields),
      status_reason: null,
      state: null,
      active_since: nowMs,
      failures: 0,
      last_fired_at: null,
      storm_at: 0,
      storm_items: 0,
      storm_more: 0,
      day_at: 0,
      day_items: 0,
      created_by: userId,
      created_at: nowMs,
      updated_at: null,
    })
    .execute();
}

/** An alert that asks something else, or that was inactive, looks at what is received from now on. */
export async function changeAlert(
  tx: Tx,
  workspaceId: string,
  { id, fields, startsAgain }: { id: string; fields: AlertFields; startsAgain: boolean },
  nowMs: number,
): Promise<void> {
  await tx
    .updateTable("alerts")
    .set({
      ...toColumns(fields),
      updated_at: nowMs,
      status_reason: sql`case when ${fields.status} = 'active' then null else status_reason end`,
      ...(startsAgain ? { active_since: nowMs, failures: 0, state: null } : {}),
    })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .execute();
  // What its other conditions have met says nothing about these.
  if (startsAgain)
    await tx.deleteFrom("alert_counts").where("workspace_id", "=", workspaceId).where("alert_id", "=", id).execute();
}

export async function deleteAlert(tx: Tx, workspaceId: string, id: string): Promise<void> {
  for (const table of ["alert_firings", "alert_counts", "alert_wallets", "alert_metrics"] as const)
    await tx.deleteFrom(table).where("workspace_id", "=", workspaceId).where("alert_id", "=", id).execute();
  await tx.deleteFrom("alerts").where("workspace_id", "=", workspaceId).where("id", "=", id).execute();
}

function toColumns(fields: AlertFields) {
  return {
    name: fields.name,
    trigger_type: fields.trigger,
    filters: JSON.stringify(fields.filters),
    metric: fields.metric === null ? null : JSON.stringify(fields.metric),
    recipients: JSON.stringify(fields.recipients),
    property_keys: JSON.stringify(fields.propertyKeys),
    secret: fields.sealedSecret,
    include_imported: fields.includeImported ? (1 as const) : (0 as const),
    status: fields.status,
    muted_until: fields.mutedUntilMs,
  };
}

function select(db: Reader) {
  return db
    .selectFrom("alerts")
    .leftJoin("users", "users.id", "alerts.created_by")
    .leftJoin("alert_metrics", "alert_metrics.alert_id", "alerts.id")
    .selectAll("alerts")
    .select(["users.name as user_name", "alert_metrics.memory", "alert_metrics.active_since as evaluated_since"]);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirstOrThrow"]>>;

function toAlert(row: Row): Alert {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    projectId: row.project_id,
    name: row.name,
    trigger: row.trigger_type,
    filters: JSON.parse(row.filters) as AlertFilter[],
    metric: row.metric === null ? null : (JSON.parse(row.metric) as Record<string, unknown>),
    recipients: JSON.parse(row.recipients) as GivenRecipient[],
    propertyKeys: JSON.parse(row.property_keys) as string[],
    sealedSecret: row.secret,
    includeImported: row.include_imported === 1,
    status: row.status,
    statusReason: row.status_reason,
    state: row.state,
    mutedUntilMs: row.muted_until,
    activeSinceMs: row.active_since,
    failures: row.failures,
    lastFiredAtMs: row.last_fired_at,
    evaluation: row.memory === null ? null : { memory: row.memory, activeSinceMs: Number(row.evaluated_since) },
    storm: stormOf(row),
    createdBy: authorOf(row),
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}
