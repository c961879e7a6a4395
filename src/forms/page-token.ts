import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Every hosted page carries a signed token: its form, the time it was issued and a random part. The token shows how
 * long the form took to fill in, and it makes one page one submission. Nothing is stored until the answers arrive.
 * Hand-written because it is one HMAC over twenty bytes; a token library adds claims, algorithms and clocks to choose
 * from.
 */
export type PageToken =
  | { kind: "good"; ageMs: number; hash: string }
  /** Issued here, but more than a day ago. */
  | { kind: "expired" }
  | { kind: "forged" };

export interface PageTokens {
  issue(formId: string, nowMs: number): string;
  read(formId: string, token: string, nowMs: number): PageToken;
}

/** People leave a page open over lunch or overnight. */
const LIFE_MS = 24 * 3_600_000;
/** Tolerates clock differences between nodes. */
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
