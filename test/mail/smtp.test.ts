import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { describe, test } from "node:test";
import type { MailServer } from "../../src/mail/mail.ts";
import { sendTestMail } from "../../src/mail/send-test.ts";
import { createMailer } from "../../src/mail/smtp.ts";
import { decodeHeader, startMailServer } from "../support/mail-server.ts";
import { waitFor } from "../support/wait.ts";

const at = (port: number, changes: Partial<MailServer> = {}): MailServer => ({
  ...{ host: "127.0.0.1", port, isSecure: false, user: "", password: "", allowPlain: true },
  from: "Sextant <reports@example.com>",
  ...changes,
});
const MAIL = {
  to: "ada@example.com",
  subject: "Numbers – ünïcode",
  text: "Plain ünïcode\nsecond line\n",
  html: "<p>Rich ünïcode</p>",
  messageId: "<dlv_1@example.com>",
  headers: { "List-Unsubscribe": "<https://sextant.example/m/x>" },
};
const LIMITS = { deadlineMs: 20_000 };

describe("a mail through a real server", () => {
  test("arrives with both parts, its id and its headers, from one sender to one recipient", async (t) => {
    const server = await startMailServer();
    t.after(server.stop);
    const mailer = createMailer(at(server.port));
    t.after(mailer.close);
    assert.equal((await mailer.send(MAIL, LIMITS)).kind, "sent");
    const [mail] = server.mails;
    assert.deepEqual([mail?.from, mail?.to], ["reports@example.com", ["ada@example.com"]]);
    assert.equal(mail?.text, MAIL.text);
    assert.equal(mail?.html.trim(), MAIL.html);
    assert.equal(decodeHeader(mail?.headers.get("subject") ?? ""), MAIL.subject);
    assert.equal(mail?.headers.get("message-id"), MAIL.messageId);
    assert.equal(mail?.headers.get("from"), "Sextant <reports@example.com>");
    assert.equal(mail?.headers.get("list-unsubscribe"), MAIL.headers["List-Unsubscribe"]);
  });

  test("a subject with line breaks begins no header", async (t) => {
    const server = await startMailServer();
    t.after(server.stop);
    const mailer = createMailer(at(server.port));
    t.after(mailer.close);
    await mailer.send({ ...MAIL, subject: "a\r\nBcc: eve@example.com\r\n\r\nx" }, LIMITS);
    assert.equal(server.mails[0]?.headers.has("bcc"), false);
    assert.deepEqual(server.mails[0]?.to, ["ada@example.com"]);
  });

  test("a refusal says whether it is for good", async (t) => {
    const codes = new Map([
      ["no@example.com", 550],
      ["full@example.com", 452],
    ]);
    const server = await startMailServer({
      refuse(to) {
        const code = codes.get(to);
        return code === undefined ? undefined : { code, message: "no" };
      },
    });
    t.after(server.stop);
    const mailer = createMailer(at(server.port));
    t.after(mailer.close);
    const sent = async (to: string) => {
      const outcome = await mailer.send({ ...MAIL, to }, LIMITS);
      return outcome.kind === "refused" ? [outcome.code, outcome.isFinal] : outcome;
    };
    assert.deepEqual(await sent("no@example.com"), [550, true]);
    assert.deepEqual(await sent("full@example.com"), [452, false]);
  });

  test("a wrong password, a server without TLS and a closed port have reasons, and no outcome has the password", async (t) => {
    const user = { name: "me", password: "right-password" };
    const server = await startMailServer({ user });
    t.after(server.stop);
    const check = async (changes: Partial<MailServer>) => {
      const mailer = createMailer(at(server.port, changes));
      const outcome = await mailer.check(20_000);
      await mailer.close();
      return outcome;
    };
    assert.equal((await check({ user: "me", password: "right-password" })).kind, "sent");
    const wrong = await check({ user: "me", password: "wrong-password" });
    assert.deepEqual(wrong, { kind: "failed", reason: "sign_in" });
    assert.deepEqual(await check({ allowPlain: false }), { kind: "failed", reason: "tls" });
    assert.deepEqual(await check({ port: 1 }), { kind: "failed", reason: "connect" });
    const tried = await sendTestMail(at(server.port, { user: "me", password: "wrong-password" }), "ada@example.com");
    assert.deepEqual([tried.isSent, tried.message.includes("wrong-password")], [false, false]);
    assert.match(tried.message, /refuses the user and password/);
  });

  test("a server that hangs ends at the deadline, and its connection with it", async (t) => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    t.after(() => silent.close());
    const mailer = createMailer(at((silent.address() as { port: number }).port));
    t.after(mailer.close);
    assert.deepEqual(await mailer.send(MAIL, { deadlineMs: 300 }), { kind: "failed", reason: "timeout" });
    await waitFor("the end of the connection", () => sockets.size === 0);
    const stop = new AbortController();
    const stopped = mailer.send(MAIL, { deadlineMs: 60_000, signal: stop.signal });
    await waitFor("the connection", () => sockets.size === 1);
    stop.abort();
    assert.deepEqual(await stopped, { kind: "failed", reason: "stopped" });
  });
});
