import { createHmac, randomBytes } from "node:crypto";

/**
 * Standard Webhooks v1 (symmetric). Hand-written because it is one HMAC. The packages `standardwebhooks` and `svix` can
 * then serve in the tests as receivers that share no code with the sender.
 */
const PREFIX = "whsec_";
/** The standard requires 24 to 64 bytes. */
const SECRET_BYTES = 32;

export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

export interface Signable {
  /** `webhook-id`: the same for all attempts of a delivery. */
  id: string;
  /** `webhook-timestamp`: the time of this attempt, in seconds. */
  timestampS: number;
  /** Exactly the body that is sent. */
  body: string;
  /** The current secret and, during a rotation, the previous one. */
  secrets: readonly string[];
}

/** The value of `webhook-signature`: one signature per secret, so that a receiver may hold either. */
export function signPayload({ id, timestampS, body, secrets }: Signable): string {
  if (secrets.length === 0) throw new Error("cannot sign a payload without a secret");
  const content = `${id}.${timestampS}.${body}`;
  return secrets.map((secret) => `v1,${hmac(secret, content)}`).join(" ");
}

function hmac(secret: string, content: string): string {
  if (!secret.startsWith(PREFIX)) throw new Error(`a webhook secret must start with ${PREFIX}`);
  return createHmac("sha256", Buffer.from(secret.slice(PREFIX.length), "base64"))
    .update(content)
    .digest("base64");
}

/** A secret that people chose, as Standard Webhooks writes it. One that has this form already stays. */
export function toStandardSecret(secret: string): string {
  return secret.startsWith(PREFIX) ? secret : PREFIX + Buffer.from(secret).toString("base64");
}
