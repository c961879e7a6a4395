/**
 * A browser in which somebody signed in before keeps a signed cookie about it, without a session. Its attempts have a
 * bucket of their own: strangers who guess a password from many addresses cannot lock it out.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { hashKey } from "../../control/key-text.ts";
import { newId } from "../../lib/ids.ts";
import { findKnownText, knownCookie } from "./cookie.ts";
import type { AccountDeps, AccountRequest } from "./deps.ts";

export interface KnownClient {
  /** Of the account: see subjectOf. */
  readonly subject: string;
  readonly clientId: string;
}

/** Hashed: any text may be sent as a name, and the store keeps it. */
export function subjectOf(account: string): string {
  return createHash("sha256").update(account.normalize("NFKC").trim().toLowerCase()).digest("base64url");
}

export function makeKnownCookie(
  { secret, publicApiUrl }: Pick<AccountDeps, "secret" | "publicApiUrl">,
  userName: string,
): string {
  const known = { subject: subjectOf(userName), clientId: newId("cli") };
  return knownCookie(publicApiUrl(), `${known.subject}.${known.clientId}.${sign(secret, known)}`);
}

/** Undefined without a cookie that we signed. */
export function findKnownClient(
  { secret, publicApiUrl }: Pick<AccountDeps, "secret" | "publicApiUrl">,
  { cookies }: Pick<AccountRequest, "cookies">,
): KnownClient | undefined {
  const [subject = "", clientId = "", signature = ""] = (findKnownText(cookies, publicApiUrl()) ?? "").split(".");
  const [sent, own] = [Buffer.from(signature), Buffer.from(sign(secret, { subject, clientId }))];
  return sent.length === own.length && timingSafeEqual(sent, own) ? { subject, clientId } : undefined;
}

function sign(secret: Buffer, { subject, clientId }: KnownClient): string {
  return hashKey(secret, `known client ${subject} ${clientId}`);
}
