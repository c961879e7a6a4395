import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "./config.ts";
import { readMailFrom, readSmtpUrl } from "./mail-settings.ts";

test("the URL of a mail server says host, port, sign-in and whether it needs TLS", () => {
  assert.equal(readSmtpUrl(undefined), undefined);
  assert.deepEqual(readSmtpUrl("smtps://me%40example.com:p%2Fw@mail.example.com"), {
    host: "mail.example.com",
    port: 465,
    isSecure: true,
    user: "me@example.com",
    password: "p/w",
    allowPlain: false,
  });
  const port = (url: string) => readSmtpUrl(url)?.port;
  assert.deepEqual([port("smtp://a.example"), port("smtp://a.example:2525")], [587, 2525]);
  const allowPlain = (url: string) => readSmtpUrl(url)?.allowPlain;
  for (const url of ["smtp://localhost", "smtp://127.0.0.1:25", "smtp://[::1]:25", "smtp://a.example?tls=off"])
    assert.equal(allowPlain(url), true, url);
  for (const url of ["smtp://10.0.0.1", "smtp://a.example", "smtps://localhost.example"])
    assert.equal(allowPlain(url), false, url);
});

test("a refused URL is not repeated, because it may hold a password", () => {
  for (const url of [
    "http://u:secret@a.example",
    "smtp://",
    "u:secret@a.example",
    "smtp://u:secret@a.example/path",
    "smtp://u:secret@a.example?tls=maybe",
    "smtps://u:secret@a.example?tls=off",
    "smtp://u:secret%zz@a.example",
  ])
    assert.throws(
      () => readSmtpUrl(url),
      (cause: Error) => !cause.message.includes("secret"),
      url,
    );
});

test("the sender is one address, with a name or without", () => {
  for (const from of ["reports@example.com", "Sextant <reports@example.com>"]) assert.equal(readMailFrom(from), from);
  for (const from of [
    "",
    "nobody",
    "a@b.example, c@d.example",
    "A\r\nBcc: x@y.example <a@b.example>",
    "<a@b.example>",
    "A <a@b.example> B",
  ])
    assert.throws(() => readMailFrom(from), from);
});

test("mail needs a server and a sender", () => {
  const SEXTANT_SMTP_URL = "smtp://127.0.0.1";
  const SEXTANT_MAIL_FROM = "a@b.example";
  assert.throws(() => readConfig({ SEXTANT_SMTP_URL }), /SEXTANT_MAIL_FROM is missing/);
  assert.throws(() => readConfig({ SEXTANT_MAIL_FROM }), /SEXTANT_SMTP_URL is missing/);
  assert.equal(readConfig({ SEXTANT_SMTP_URL, SEXTANT_MAIL_FROM }).SMTP_URL?.host, "127.0.0.1");
  assert.equal(readConfig({}).SMTP_URL, undefined);
});
