/** What became of a mail, for the operator. Nothing of it holds the password. */
import type { MailServer } from "./mail.ts";
import type { MailOutcome } from "./smtp.ts";

const FAILURES = {
  connect: "cannot be reached",
  tls: "offers no TLS that can be used; `?tls=off` in SEXTANT_SMTP_URL allows a connection without it",
  sign_in: "refuses the user and password of SEXTANT_SMTP_URL",
  timeout: "does not answer in time",
  protocol: "does not answer as a mail server does",
  stopped: "was not asked",
} as const satisfies Record<Extract<MailOutcome, { kind: "failed" }>["reason"], string>;

export function describeOutcome({ host, port }: Pick<MailServer, "host" | "port">, outcome: MailOutcome): string {
  const server = `${host}:${port}`;
  if (outcome.kind === "sent") return `${server} answers`;
  if (outcome.kind === "refused") return `${server} refuses it: ${outcome.code} ${outcome.response}`;
  return `${server} ${FAILURES[outcome.reason]}`;
}
