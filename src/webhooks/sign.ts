import { createHmac, randomBytes } from "node:crypto";

/**
 * Standard Webhooks v1 (symmetric). Signed by hand, since it is one HMAC: the packages `standardwebhooks` and `svix` then stand
 * in the tests as receivers that share no code with the sender.
 */
const PREFIX = "whsec_";
/** The standard asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

export interface Signable {
  /** `webhook-id`: the same over all attempts of a delivery. */
  id: string;
  /** `webhook-timestamp`: seconds, of this attempt. */
  timestampS: number;
  /** Exactly the text that is sent. */
  body: string;
  /** The current secret, and while a rotation lasts the previous one too. */
  secrets: readonly string[];
}

/** The value of `webhook-signature`: one signature per secret, so that a receiver may hold either. */
export function signPayload({ id, timestampS, body, secrets }: Signable): string {
  if (secrets.length === 0) throw new Error("a payload needs a secret to be signed with");
  const content = `${id}.${timestampS}.${body}`;
  return secrets.map((secret) => `v1,${hmac(secret, content)}`).join(" ");
}

function hmac(secret: string, content: string): string {
  if (!secret.startsWith(PREFIX)) throw new Error(`a webhook secret starts with ${PREFIX}`);
  return createHmac("sha256", Buffer.from(secret.slice(PREFIX.length), "base64"))
    .update(content)
    .digest("base64");
}
