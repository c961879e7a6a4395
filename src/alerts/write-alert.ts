/** The writes to alerts. Each runs in the transaction of its request, with its recipients. */
import type { AlertBody, AlertChanges } from "../contract/alerts.ts";
import { ApiError } from "../contract/errors.ts";
import { validationError } from "../contract/validation-error.ts";
import type { Owner } from "../control/project-items.ts";
import type { SecretBox } from "../control/secret-box.ts";
import type { Reader, Tx } from "../control/store.ts";
import { type AddressPolicy, checkTargetUrl } from "../webhooks/address-guard.ts";
import { deleteRecipients, listRecipients, replaceRecipients } from "../webhooks/recipients.ts";
import { ofAlert } from "../webhooks/sources.ts";
import {
  type Alert,
  type AlertFields,
  changeAlert,
  deleteAlert,
  getAlert,
  insertAlert,
  newAlertId,
} from "./alerts-table.ts";
import { checkAlert } from "./read-alert.ts";
import { type GivenRecipient, guardedUrl, type ReadRecipients, readRecipients } from "./recipients.ts";
import { asksSame } from "./same-question.ts";
import { readAgainFrom } from "./start-again.ts";

export interface AlertContext {
  box: SecretBox;
  policy: AddressPolicy;
}

type Given = Omit<AlertBody, "project_id"> & Pick<AlertChanges, "status" | "muted_until">;

/** Resolves the names of targets, all at once, so it runs before the transaction. */
export async function checkTargets(given: readonly GivenRecipient[] | undefined, policy: AddressPolicy): Promise<void> {
  const values = (given ?? []).flatMap(({ type, value }, at) =>
    value.map((text, nth) => ({ type, text, path: `body.recipient.${at}.value.${nth}` })),
  );
  const failures = new Map<string, string>();
  await Promise.all(
    values.map(async ({ type, text, path }) => {
      const [target] = readRecipients([{ type, value: [text] }], [], "", () => undefined).targets;
      const url = target && guardedUrl(target);
      const problem = url === undefined ? undefined : await checkTargetUrl(url, policy);
      if (problem !== undefined) failures.set(path, problem.message);
    }),
  );
  if (failures.size > 0) throw validationError(failures);
}

export async function createAlert(
  tx: Tx,
  workspaceId: string,
  { projectId, userId, body }: { projectId: string; userId: string | null; body: AlertBody },
  context: { box: SecretBox; nowMs: number },
): Promise<string> {
  const id = newAlertId();
  const secret = body.secret ?? "";
  const read = readAll(body.recipient, [], secret);
  const fields = { ...toFields(body), ...sealed(context.box, id, secret), recipients: read.shown };
  await insertAlert(tx, workspaceId, { id, projectId, userId, fields }, context.nowMs);
  await readAgainFrom(tx, { workspaceId, projectId }, context.nowMs);
  await replaceRecipients(tx, workspaceId, ofAlert(id), read.targets, context);
  return id;
}

/** With PUT: omitted fields are as those of a new alert. */
export async function replaceAlert(
  tx: Tx,
  owner: Owner,
  { id, body }: { id: string; body: Given },
  context: { box: SecretBox; nowMs: number },
): Promise<void> {
  const before = await getAlert(tx, owner, id);
  const secret = body.secret ?? "";
  const read = await readKnown(tx, before, body.recipient ?? [], secret);
  const fields = {
    ...toFields(body),
    ...sealed(context.box, id, secret),
    recipients: read.shown,
    status: before.status,
    mutedUntilMs: before.mutedUntilMs,
  };
  await save(tx, before, fields, read, context);
}

/** With PATCH: omitted fields stay. */
export async function patchAlert(
  tx: Tx,
  owner: Owner,
  { id, changes }: { id: string; changes: AlertChanges },
  context: { box: SecretBox; nowMs: number },
): Promise<void> {
  const before = await getAlert(tx, owner, id);
  const failures = new Map<string, string>();
  checkAlert(changes, { trigger_type: before.trigger }, (path, reason) => failures.set(path, reason));
  if (failures.size > 0) throw validationError(failures);
  // Undefined: the targets keep theirs.
  const secret = changes.secret === undefined ? undefined : (changes.secret ?? "");
  const wanted = (changes.recipient as GivenRecipient[] | undefined) ?? before.recipients;
  // Who switches an alert on wants its targets, too.
  const isNewTarget = changes.recipient !== undefined || secret !== undefined || changes.status === "active";
  const current = secret ?? openSecret(context.box, before);
  const read = isNewTarget ? await readKnown(tx, before, wanted, current) : undefined;
  const fields: AlertFields = {
    name: changes.name?.trim() ?? before.name,
    trigger: before.trigger,
    filters: changes.trigger_filters ?? before.filters,
    metric: changes.metric ?? before.metric,
    recipients: read?.shown ?? before.recipients,
    propertyKeys: changes.slack_property_keys ?? before.propertyKeys,
    sealedSecret: secret === undefined ? before.sealedSecret : sealed(context.box, id, secret).sealedSecret,
    includeImported: changes.include_imported ?? before.includeImported,
    status: (changes.status as AlertFields["status"] | undefined) ?? before.status,
    mutedUntilMs: readMuted(changes.muted_until, before.mutedUntilMs),
  };
  await save(tx, before, fields, read, context);
}

export async function removeAlert(tx: Tx, owner: Owner, id: string, nowMs: number): Promise<Alert> {
  const alert = await getAlert(tx, owner, id);
  await deleteAlert(tx, owner.workspaceId, id);
  await deleteRecipients(tx, owner.workspaceId, ofAlert(id), nowMs);
  return alert;
}

/** The secret of the alert; empty for none. */
export function openSecret(box: SecretBox, { id, sealedSecret }: Pick<Alert, "id" | "sealedSecret">): string {
  return sealedSecret === null ? "" : box.open(id, sealedSecret);
}

async function save(
  tx: Tx,
  before: Alert,
  fields: AlertFields,
  read: ReadRecipients | undefined,
  context: { box: SecretBox; nowMs: number },
): Promise<void> {
  const { id, workspaceId } = before;
  const isOn = fields.status === "active" && before.status !== "active";
  const startsAgain = isOn || !asksSame(fields, before);
  // The cursor before the alert, as evaluations lock them.
  if (startsAgain) await readAgainFrom(tx, before, context.nowMs);
  await changeAlert(tx, workspaceId, { id, fields, startsAgain }, context.nowMs);
  if (read !== undefined) await replaceRecipients(tx, workspaceId, ofAlert(id), read.targets, context);
}

async function readKnown(
  db: Reader,
  { id, workspaceId }: Alert,
  given: readonly { type: string; value: readonly string[] }[],
  secret: string,
): Promise<ReadRecipients> {
  return readAll(given, await listRecipients(db, workspaceId, ofAlert(id)), secret);
}

function readAll(
  given: readonly { type: string; value: readonly string[] }[] | undefined,
  known: Parameters<typeof readRecipients>[1],
  secret: string,
): ReadRecipients {
  const failures = new Map<string, string>();
  const fail = (path: string, reason: string) => failures.set(path, reason);
  const read = readRecipients((given ?? []) as GivenRecipient[], known, secret, fail);
  if (failures.size > 0) throw validationError(failures);
  return read;
}

function toFields(body: Given): Omit<AlertFields, "recipients" | "sealedSecret"> {
  return {
    name: body.name.trim(),
    trigger: body.trigger_type as AlertFields["trigger"],
    filters: body.trigger_filters,
    metric: body.metric ?? null,
    propertyKeys: body.slack_property_keys ?? [],
    includeImported: body.include_imported ?? false,
    status: "active",
    mutedUntilMs: null,
  };
}

function sealed(box: SecretBox, id: string, secret: string): Pick<AlertFields, "sealedSecret"> {
  return { sealedSecret: secret === "" ? null : box.seal(id, secret) };
}

function readMuted(given: string | null | undefined, before: number | null): number | null {
  if (given === undefined) return before;
  if (given === null) return null;
  const ms = Date.parse(given);
  if (Number.isFinite(ms)) return ms;
  throw new ApiError("BAD_REQUEST", "muted_until must be a time", { param: "body.muted_until" });
}
