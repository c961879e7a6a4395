/** The API's writes to subscriptions. Each function runs in the transaction of its request. */
import { ApiError } from "../contract/errors.ts";
import { validationError } from "../contract/validation-error.ts";
import type { EventType } from "../contract/webhook-events.ts";
import { WEBHOOK_LIMITS } from "../contract/webhooks.ts";
import { lockForm } from "../control/form-lookup.ts";
import type { SecretBox } from "../control/secret-box.ts";
import type { Backend, Tx } from "../control/store.ts";
import { type AddressPolicy, checkTargetUrl } from "./address-guard.ts";
import { newSecret } from "./sign.ts";
import { ofForm } from "./sources.ts";
import {
  changeStatus,
  countWebhooks,
  deleteWebhooks,
  findWebhook,
  insertWebhook,
  mergeWebhook,
  replaceSecret,
  type Webhook,
} from "./subscriptions.ts";

export interface WantedWebhook {
  formId: string;
  targetUrl: string;
  eventTypes: readonly EventType[];
}

/** The dependencies of webhook requests besides the store. */
export interface WebhookContext {
  backend: Backend;
  box: SecretBox;
  policy: AddressPolicy;
}

const HOUR_MS = 3_600_000;

/** Resolves the target's name, so it must run before the transaction. */
export async function checkTarget(targetUrl: string, policy: AddressPolicy): Promise<void> {
  const problem = await checkTargetUrl(targetUrl, policy);
  if (problem) throw validationError(new Map([["body.targetUrl", problem.message]]));
}

/** Creates a subscription to a form, or merges into the existing one. Only a new subscription returns its secret. */
export async function subscribe(
  tx: Tx,
  workspaceId: string,
  wanted: WantedWebhook,
  context: Pick<WebhookContext, "backend" | "box"> & { nowMs: number },
): Promise<{ webhookId: string; secret?: string }> {
  const { backend, box, nowMs } = context;
  if (!(await lockForm(tx, backend, workspaceId, wanted.formId))) throw noForm("body.formId");
  const source = ofForm(wanted.formId);
  const subscription = { source, targetUrl: wanted.targetUrl, eventTypes: wanted.eventTypes };
  const merged = await mergeWebhook(tx, workspaceId, subscription, nowMs);
  if (merged) return { webhookId: merged.id };
  if ((await countWebhooks(tx, workspaceId, source)) >= WEBHOOK_LIMITS.perForm)
    throw new ApiError("BAD_REQUEST", `A form has at most ${WEBHOOK_LIMITS.perForm} webhooks: delete one first`);
  if ((await countWebhooks(tx, workspaceId)) >= WEBHOOK_LIMITS.perWorkspace)
    throw new ApiError(
      "BAD_REQUEST",
      `A workspace has at most ${WEBHOOK_LIMITS.perWorkspace} webhooks: delete one first`,
    );
  const secret = newSecret();
  return { webhookId: await insertWebhook(tx, workspaceId, subscription, { box, secret }, nowMs), secret };
}

export async function setEnabled(
  tx: Tx,
  workspaceId: string,
  webhookId: string,
  enabled: boolean,
  nowMs: number,
): Promise<Webhook> {
  if (!(await findWebhook(tx, workspaceId, webhookId))) throw noWebhook();
  const changed = enabled
    ? await changeStatus(tx, workspaceId, webhookId, "active", null, nowMs)
    : await changeStatus(tx, workspaceId, webhookId, "disabled", "user", nowMs);
  if (!changed) throw noWebhook();
  return changed;
}

export async function unsubscribe(
  tx: Tx,
  workspaceId: string,
  which: { webhookId?: string; targetUrl?: string },
  nowMs: number,
): Promise<string[]> {
  if ((which.webhookId === undefined) === (which.targetUrl === undefined))
    throw validationError(new Map([["query.webhookId", "or query.targetUrl is required, and only one of them"]]));
  const gone = await deleteWebhooks(tx, workspaceId, which, nowMs);
  if (gone.length === 0) throw noWebhook();
  return gone;
}

export async function rotateSecret(
  tx: Tx,
  workspaceId: string,
  webhookId: string,
  overlapHours: number,
  context: { box: SecretBox; nowMs: number },
): Promise<{ webhookId: string; secret: string; previousSecretValidUntil: string }> {
  const secret = newSecret();
  const untilMs = context.nowMs + overlapHours * HOUR_MS;
  const sealed = context.box.seal(webhookId, secret);
  if (!(await replaceSecret(tx, workspaceId, webhookId, sealed, untilMs, context.nowMs))) throw noWebhook();
  return { webhookId, secret, previousSecretValidUntil: new Date(untilMs).toISOString() };
}

export function noWebhook(): ApiError {
  return new ApiError("NOT_FOUND", "There is no such webhook", { param: "webhookId" });
}

export function noForm(param: string): ApiError {
  return new ApiError("NOT_FOUND", "There is no such form", { param });
}
