/** A real mail server on loopback, and its mails as a client reads them. */
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { TARGET_CERTIFICATE, TARGET_KEY } from "./targets.ts";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  /** By their names in lower case; folded lines are joined. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly html: string;
}

export interface MailServerOptions {
  /** The answer to a recipient, where it is no yes. */
  refuse?: (to: string) => { code: number; message: string } | undefined;
  /** Called before a mail is taken; it is taken when the promise resolves. */
  hold?: () => Promise<void>;
  user?: { name: string; password: string };
  port?: number;
}

export interface TestMailServer {
  readonly port: number;
  /** For SEXTANT_SMTP_URL. */
  readonly url: string;
  /** Those that were taken. */
  readonly mails: readonly ReceivedMail[];
  /** Mails whose content has begun. */
  begun(): number;
  stop(): Promise<void>;
}

export async function startMailServer(options: MailServerOptions = {}): Promise<TestMailServer> {
  const mails: ReceivedMail[] = [];
  let begun = 0;
  const server = new SMTPServer({
    cert: TARGET_CERTIFICATE,
    key: TARGET_KEY,
    authOptional: options.user === undefined,
    allowInsecureAuth: true,
    ...(options.user === undefined ? { disabledCommands: ["AUTH", "STARTTLS"] } : { disabledCommands: ["STARTTLS"] }),
    onAuth({ username, password }, _session, done) {
      const { user } = options;
      if (username === user?.name && password === user?.password) done(null, { user: username });
      else done(new Error("Invalid username or password"));
    },
    onRcptTo({ address }, _session, done) {
      const refused = options.refuse?.(address);
      done(refused && Object.assign(new Error(refused.message), { responseCode: refused.code }));
    },
    onData(stream, { envelope }, done) {
      begun += 1;
      void text(stream)
        .then(async (raw) => {
          await options.hold?.();
          const { mailFrom, rcptTo } = envelope;
          const from = mailFrom === false ? "" : (mailFrom?.address ?? "");
          mails.push({ from, to: rcptTo.map(({ address }) => address), raw, ...parseMail(raw) });
          done();
        })
        // Its client is gone.
        .catch(done);
    },
  });
  // A client that goes away in the middle is a test of its own.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(options.port ?? 0, "127.0.0.1", () => resolve());
  });
  const { port } = server.server.address() as AddressInfo;
  const sign = options.user === undefined ? "" : `${options.user.name}:${options.user.password}@`;
  return {
    port,
    url: `smtp://${sign}127.0.0.1:${port}`,
    mails,
    begun: () => begun,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** The parts of a multipart/alternative, decoded. */
export function parseMail(raw: string): Pick<ReceivedMail, "headers" | "text" | "html"> {
  const { headers, body } = split(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get("content-type") ?? "")?.[1];
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`).slice(1, -1).map(split);
  const find = (type: string) => {
    const part = parts.find((one) => one.headers.get("content-type")?.startsWith(type));
    return part === undefined
      ? ""
      : decode(part.body.replace(/\r?\n$/, ""), part.headers.get("content-transfer-encoding") ?? "");
  };
  return { headers, text: find("text/plain"), html: find("text/html") };
}

function split(raw: string): { headers: Map<string, string>; body: string } {
  const trimmed = raw.replace(/^\r?\n/, "");
  const at = trimmed.search(/\r?\n\r?\n/);
  const lines = trimmed
    .slice(0, at)
    .replaceAll(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { headers, body: trimmed.slice(at).replace(/^\r?\n\r?\n/, "") };
}

function decode(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  if (encoding !== "quoted-printable") return body;
  const bytes = body
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8").replaceAll("\r\n", "\n");
}

/** `=?UTF-8?Q?...?=` of a subject. */
export function decodeHeader(value: string): string {
  return value
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_all, kind: string, word: string) =>
      kind.toUpperCase() === "B"
        ? Buffer.from(word, "base64").toString("utf8")
        : decode(word.replaceAll("_", " "), "quoted-printable"),
    );
}
