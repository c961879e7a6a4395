import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Every hosted page carries a token: which form, when it was made, a random part, all signed. It tells how long somebody took to
 * fill the page in, and makes one page one submission. Nothing is kept about it until the answers arrive. Written by hand because
 * a token library would bring claims, algorithms and clocks to choose from for what is one HMAC over twenty bytes.
 */
export type PageToken =
  | { kind: "good"; ageMs: number; hash: string }
  /** Ours, but of a page that was open for more than a day. */
  | { kind: "expired" }
  | { kind: "forged" };

export interface PageTokens {
  issue(formId: string, nowMs: number): string;
  read(formId: string, token: string, nowMs: number): PageToken;
}

/** People leave a page open over lunch or over night. */
const LIFE_MS = 24 * 3_600_000;
/** Nodes' clocks differ a little. */
const AHEAD_MS = 60_000;
const BODY_BYTES = 8 + 12;
const LONGEST = 128;

export function createPageTokens(secret: Buffer): PageTokens {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "sextant form page token", 32));
  const sign = (formId: string, body: Buffer) => createHmac("sha256", key).update(formId).update(body).digest();
  return {
    issue(formId, nowMs) {
      const body = Buffer.concat([Buffer.alloc(8), randomBytes(BODY_BYTES - 8)]);
      body.writeBigUInt64BE(BigInt(nowMs));
      return Buffer.concat([body, sign(formId, body)]).toString("base64url");
    },
    read(formId, token, nowMs) {
      const bytes = Buffer.from(token.slice(0, LONGEST), "base64url");
      const body = bytes.subarray(0, BODY_BYTES);
      const right = sign(formId, body);
      const sent = bytes.subarray(BODY_BYTES);
      if (sent.length !== right.length || !timingSafeEqual(sent, right)) return { kind: "forged" };
      const ageMs = nowMs - Number(body.readBigUInt64BE());
      if (ageMs > LIFE_MS || ageMs < -AHEAD_MS) return { kind: "expired" };
      return { kind: "good", ageMs, hash: createHash("sha256").update(bytes).digest("base64url") };
    },
  };
}
