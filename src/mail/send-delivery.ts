/**
 * Sends a delivery of the outbox as a mail: whether its owner wants it -> whether the workspace may send one more ->
 * write it -> give it to the server. The state of the address is read at every attempt, whatever was true when the
 * delivery was written.
 */
import { ApiError } from "../contract/errors.ts";
import type { RateLimiter } from "../control/rate-limit.ts";
import type { SecretBox } from "../control/secret-box.ts";
import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { DAY_MS } from "../lib/time.ts";
import { addressOfTarget, isMailAddress } from "../webhooks/mail-address.ts";
import type { AttemptOutcome, MailRefusal } from "../webhooks/send.ts";
import type { SendMail } from "../webhooks/worker.ts";
import { findAddress, type MailAddress } from "./addresses.ts";
import { askAddress } from "./ask.ts";
import type { MailLinks } from "./links.ts";
import { addressOf } from "./mail.ts";
import type { ConfirmPayload, OtherPayload, TextPayload, WriteMail, WrittenMail } from "./payload.ts";
import type { Mailer, MailOutcome } from "./smtp.ts";
import { writeConfirm, writeText } from "./write-own.ts";

export interface SendMailDeps {
  store: ControlStore;
  box: SecretBox;
  mailer: Mailer;
  links: MailLinks;
  limiter: Pick<RateLimiter, "take">;
  /** Mails of one workspace in 24 hours. */
  perDay: number;
  publicUrl: () => string;
  clock: Clock;
  /** How the mails of other rooms are written, by their kind. */
  writers: Readonly<Record<string, WriteMail>>;
}

type Given = Parameters<SendMail>[0];
type Payload = ConfirmPayload | TextPayload | OtherPayload;
type Limits = Parameters<SendMail>[1];

export function createSendMail(deps: SendMailDeps): SendMail {
  return async (given, limits) => {
    const startedMs = performance.now();
    const outcome = await attempt(deps, given, limits);
    return { ...outcome, durationMs: Math.round(performance.now() - startedMs) };
  };
}

type WithoutDuration<T> = T extends unknown ? Omit<T, "durationMs"> : never;
type Result = WithoutDuration<AttemptOutcome>;

async function attempt(deps: SendMailDeps, given: Given, limits: Limits): Promise<Result> {
  const { store, mailer, limiter, perDay } = deps;
  const to = addressOfTarget(given.targetUrl);
  const payload = JSON.parse(given.payload) as Payload;
  if (!isMailAddress(to)) return refused("unconfirmed");
  const known = await findAddress(store.read, given.workspaceId, to);
  const refusal = payload.kind === "confirm" ? whyNotAsk(known) : await whyNotSend(deps, given.workspaceId, to, known);
  if (refusal !== undefined) return refused(refusal);
  const policy = { perSecond: (perDay * 1000) / DAY_MS, burst: perDay };
  if (!(await limiter.take(`mail ${given.workspaceId}`, policy)).allowed) return refused("limited");
  const publicUrl = deps.publicUrl();
  // The port may be any free one: at a start, the address of the service is known a moment later.
  if (publicUrl === "") return { kind: "failed", reason: "late" };
  const unsubscribeUrl = `${publicUrl}/m/${deps.links.make("unsubscribe", given.webhookId)}`;
  const written = write(deps, payload, { publicUrl, unsubscribeUrl });
  const domain = addressOf(mailer.from).split("@")[1] ?? "localhost";
  const headers = {
    "Auto-Submitted": "auto-generated",
    ...(payload.kind === "confirm"
      ? {}
      : { "List-Unsubscribe": `<${unsubscribeUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
  };
  return toResult(await mailer.send({ to, ...written, messageId: `<${given.deliveryId}@${domain}>`, headers }, limits));
}

function write(
  deps: SendMailDeps,
  payload: Payload,
  context: { publicUrl: string; unsubscribeUrl: string },
): WrittenMail {
  if (payload.kind === undefined) return writeText(payload as TextPayload, context);
  if (payload.kind === "confirm") {
    const { addressId } = payload as ConfirmPayload;
    const confirmUrl = `${context.publicUrl}/m/${deps.links.make("confirm", addressId)}`;
    return writeConfirm(payload as ConfirmPayload, confirmUrl, context.publicUrl);
  }
  const writer = deps.writers[payload.kind];
  if (writer === undefined) throw new Error(`nobody writes mails of the kind ${payload.kind}`);
  return writer(payload as OtherPayload, context);
}

/** An owner who has said yes or no in the meantime is not asked any more. */
function whyNotAsk(known: MailAddress | undefined): MailRefusal | undefined {
  return known?.state === "asked" ? undefined : "unsubscribed";
}

async function whyNotSend(
  deps: SendMailDeps,
  workspaceId: string,
  address: string,
  known: MailAddress | undefined,
): Promise<MailRefusal | undefined> {
  if (known?.state === "stopped") return "unsubscribed";
  if (known?.state === "confirmed") return undefined;
  if (known === undefined) await askNow(deps, workspaceId, address);
  return "unconfirmed";
}

/** Where a message is the first that knows of an address. It is tried again, until the owner has confirmed. */
async function askNow({ store, box, clock }: SendMailDeps, workspaceId: string, address: string): Promise<void> {
  try {
    const nowMs = clock.nowMs();
    await store.write((tx) => askAddress(tx, workspaceId, { address, userId: null }, { box, nowMs }));
  } catch (cause) {
    // The workspace has asked as many as it may.
    if (!(cause instanceof ApiError)) throw cause;
  }
}

function refused(reason: MailRefusal): Result {
  return { kind: "refused", reason };
}

function toResult(outcome: MailOutcome): Result {
  switch (outcome.kind) {
    case "sent":
      return { kind: "answered", status: SENT, bodyExcerpt: outcome.response };
    case "refused": {
      const { code: status, isFinal, response: bodyExcerpt } = outcome;
      return { kind: "answered", status, isFinal, bodyExcerpt };
    }
    case "failed":
      return { kind: "failed", reason: outcome.reason };
  }
}

/** Of SMTP: the mail is taken. */
const SENT = 250;
