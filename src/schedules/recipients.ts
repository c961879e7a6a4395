/** Recipients of a scheduled report as clients write them, and as targets of the outbox. */
import type { ScheduleView } from "../contract/report-schedules.ts";
import type { Reader } from "../control/store.ts";
import { HIDDEN, hideUrl } from "../webhooks/hide-url.ts";
import { addressOfTarget, mailboxOf, mailRecipient } from "../webhooks/mail-address.ts";
import type { Recipient } from "../webhooks/recipients.ts";
import { ofSchedule } from "../webhooks/sources.ts";

export interface GivenRecipient {
  readonly type: string;
  readonly value: string;
}

/** A subscription of the outbox, with what became of it. */
export interface KnownRecipient {
  readonly channel: "email" | "slack";
  readonly targetUrl: string;
  readonly targetOrigin: string;
  readonly status: "active" | "disabled" | "ended";
  /** Of an address. */
  readonly isConfirmed: boolean;
}

type Fail = (path: string, reason: string) => void;

/** In the order of their creation; those that came together, mail first. */
export async function listKnown(db: Reader, workspaceId: string, scheduleId: string): Promise<KnownRecipient[]> {
  const source = ofSchedule(scheduleId);
  const rows = await db
    .selectFrom("webhooks")
    .select(["style", "target_url", "target_origin", "status"])
    .where("workspace_id", "=", workspaceId)
    .where("source_kind", "=", source.kind)
    .where("source_id", "=", source.id)
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("style")
    .orderBy("target_url")
    .execute();
  const confirmed = await findConfirmed(db, workspaceId);
  return rows.map((row) => ({
    channel: row.style === "email" ? "email" : "slack",
    targetUrl: row.target_url,
    targetOrigin: row.target_origin,
    status: row.status,
    isConfirmed: row.style !== "email" || confirmed.has(mailboxOf(addressOfTarget(row.target_url))),
  }));
}

async function findConfirmed(db: Reader, workspaceId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("mail_addresses")
    .select("mailbox")
    .where("workspace_id", "=", workspaceId)
    .where("state", "=", "confirmed")
    .execute();
  return new Set(rows.map(({ mailbox }) => mailbox));
}

/**
 * What is named twice is one. A URL whose secret part is hidden is the one that is stored; of two that are hidden alike,
 * each is one.
 */
export function readRecipients(
  given: readonly GivenRecipient[],
  known: readonly KnownRecipient[],
  fail: Fail,
): Recipient[] {
  const targets = new Map<string, Recipient>();
  for (const [at, { type, value }] of given.entries()) {
    const left = known.filter(({ targetUrl }) => !targets.has(targetUrl));
    const target = type === "email" ? mailRecipient(value) : readSlack(value.trim(), [...left, ...known]);
    if (target === undefined)
      fail(`body.recipients.${at}.value`, type === "email" ? "must be an address of mail" : "must be a URL of https");
    else targets.set(type === "email" ? mailboxOf(target.targetUrl) : target.targetUrl, { ...target, secret: "" });
  }
  return [...targets.values()];
}

function readSlack(value: string, known: readonly KnownRecipient[]) {
  if (value.includes(HIDDEN))
    return known.find(({ channel, targetUrl }) => channel === "slack" && hideUrl(targetUrl) === value);
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) return undefined;
  return { channel: "slack" as const, targetUrl: value, targetOrigin: url.origin };
}

export function showTarget({ channel, targetUrl }: { channel: string; targetUrl: string }): string {
  return channel === "email" ? addressOfTarget(targetUrl) : hideUrl(targetUrl);
}

export function viewRecipient(recipient: KnownRecipient): ScheduleView["recipients"][number] {
  const { channel: type, status, isConfirmed } = recipient;
  const state =
    status === "ended" ? "unsubscribed" : status === "disabled" ? "failing" : isConfirmed ? "active" : "unconfirmed";
  return { type, value: showTarget(recipient), state };
}
