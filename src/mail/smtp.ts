/**
 * Sends mail through the server of the settings. Every fault is a value; only a bug of ours throws. Times, sizes and
 * connections are bounded, and no outcome, log line or message holds the password of the server.
 */
import { Socket } from "node:net";
import { createTransport, type Transporter } from "nodemailer";
import { createSemaphore } from "../lib/semaphore.ts";
import { addressOf, type Mail, type MailServer } from "./mail.ts";

export type MailOutcome =
  /** The server has taken the mail. */
  | { kind: "sent"; response: string }
  /** The server has answered, and does not take it: for good (5xx), or now (4xx). */
  | { kind: "refused"; isFinal: boolean; code: number; response: string }
  /** There was no answer. */
  | { kind: "failed"; reason: "connect" | "tls" | "sign_in" | "timeout" | "protocol" | "stopped" };

export interface Mailer {
  readonly from: string;
  /** `mayBegin` is asked at the last moment, when a connection is free and nothing is sent. */
  send(
    mail: Mail,
    limits: { deadlineMs: number; signal?: AbortSignal; mayBegin?: () => boolean },
  ): Promise<MailOutcome>;
  /** Whether the server answers and takes the sign-in. Sends nothing. */
  check(deadlineMs?: number): Promise<MailOutcome>;
  close(): Promise<void>;
}

/** Mail servers of providers allow 10 to 20 connections of a client; one mail takes one for a second. */
const CONNECTIONS = 4;
const CHECK_MS = 10_000;
/** What of an answer is kept: the log of deliveries shows it. */
const RESPONSE_CHARS = 1_000;
/** Longer answers are no SMTP. */
const ANSWER_BYTES = 64 * 1024;

export function createMailer(server: MailServer): Mailer {
  const slots = createSemaphore({ perKey: CONNECTIONS, total: CONNECTIONS });
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();

  async function withTransport(
    deadlineMs: number,
    signal: AbortSignal | undefined,
    work: (transport: Transporter) => Promise<string>,
  ): Promise<MailOutcome> {
    const timeout = AbortSignal.timeout(deadlineMs);
    const ends = AbortSignal.any([timeout, closing.signal, ...(signal ? [signal] : [])]);
    const stopped = (): MailOutcome => ({ kind: "failed", reason: timeout.aborted ? "timeout" : "stopped" });
    // Only the signal ends this wait.
    const release = await slots.acquire("server", ends).catch(() => undefined);
    if (release === undefined) return stopped();
    // Ours, so that the end of the time is the end of the connection: nothing is sent after it.
    const socket = new Socket();
    const transport = createTransport({ ...optionsOf(server, deadlineMs), socket });
    const ended = new Promise<undefined>((resolve) => {
      const end = () => {
        socket.destroy();
        resolve(undefined);
      };
      if (ends.aborted) end();
      else ends.addEventListener("abort", end, { once: true });
    });
    try {
      const response = await Promise.race([work(transport), ended]);
      return response === undefined ? stopped() : { kind: "sent", response: response.slice(0, RESPONSE_CHARS) };
    } catch (cause) {
      return ends.aborted ? stopped() : outcomeOf(cause);
    } finally {
      transport.close();
      socket.destroy();
      release();
    }
  }

  async function track(work: Promise<MailOutcome>): Promise<MailOutcome> {
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
    }
  }

  return {
    from: server.from,
    send: (mail, { deadlineMs, signal, mayBegin }) =>
      track(
        withTransport(deadlineMs, signal, async (transport) => {
          if (mayBegin?.() === false) throw new TooLate();
          const { response } = (await transport.sendMail({
            from: server.from,
            to: mail.to,
            // A sender and one recipient, whatever the headers say.
            envelope: { from: addressOf(server.from), to: [mail.to] },
            subject: mail.subject,
            text: mail.text,
            html: mail.html,
            messageId: mail.messageId,
            headers: mail.headers,
            disableFileAccess: true,
            disableUrlAccess: true,
          })) as { response: string };
          return response;
        }),
      ),
    check: (deadlineMs = CHECK_MS) =>
      track(
        withTransport(deadlineMs, undefined, async (transport) => {
          await transport.verify();
          return "";
        }),
      ),
    async close() {
      closing.abort();
      await Promise.allSettled(running);
    },
  };
}

class TooLate extends Error {}

function optionsOf({ host, port, isSecure, user, password, allowPlain }: MailServer, deadlineMs: number) {
  return {
    host,
    port,
    secure: isSecure,
    // A password, and what people read in a report, go over a wire that others hear only where the operator says so.
    requireTLS: !isSecure && !allowPlain,
    ...(user === "" ? {} : { auth: { user, pass: password } }),
    connectionTimeout: deadlineMs,
    greetingTimeout: deadlineMs,
    socketTimeout: deadlineMs,
    dnsTimeout: deadlineMs,
    maxResponseSize: ANSWER_BYTES,
    logger: false,
    debug: false,
  } as const;
}

const REASONS: Readonly<Record<string, "connect" | "tls" | "sign_in" | "timeout">> = {
  EDNS: "connect",
  ECONNECTION: "connect",
  ECONNREFUSED: "connect",
  ENOTFOUND: "connect",
  ESOCKET: "connect",
  ETLS: "tls",
  EREQUIRETLS: "tls",
  EAUTH: "sign_in",
  ENOAUTH: "sign_in",
  ETIMEDOUT: "timeout",
};

/** Of steps that are about one mail. */
const ABOUT_MAIL: ReadonlySet<string | undefined> = new Set(["EENVELOPE", "EMESSAGE"]);

/**
 * What the server says to STARTTLS or to a sign-in is about the settings, also with 5xx: the mail is tried again when
 * they are mended.
 */
function outcomeOf(cause: unknown): MailOutcome {
  if (cause instanceof TooLate) return { kind: "failed", reason: "stopped" };
  const { code, responseCode, response } = cause as { code?: string; responseCode?: number; response?: string };
  if (code === undefined && responseCode === undefined) throw cause;
  if (!ABOUT_MAIL.has(code) || responseCode === undefined || responseCode < 400)
    return { kind: "failed", reason: REASONS[code ?? ""] ?? "protocol" };
  return {
    kind: "refused",
    isFinal: responseCode >= 500,
    code: responseCode,
    response: (response ?? "").slice(0, RESPONSE_CHARS),
  };
}
