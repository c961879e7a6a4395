/**
 * The links in mails, which work without an account: `<id>.<signature>`. Nothing is stored for them, and whoever has none
 * cannot make one: a wrong signature is an address that does not exist.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

export type MailLinkPurpose = "confirm" | "unsubscribe";

export interface MailLinks {
  make(purpose: MailLinkPurpose, id: string): string;
  /** Undefined for what was not made here. */
  read(token: string): { readonly purpose: MailLinkPurpose; readonly id: string } | undefined;
}

/** By the form of its id: an address is confirmed, a recipient unsubscribes. */
const PURPOSES = { mad: "confirm", whk: "unsubscribe" } as const;
/** 24 bytes are 192 bits. */
const SIGNATURE_BYTES = 24;
const TOKEN = /^((mad|whk)_[A-Za-z0-9]{1,40})\.([A-Za-z0-9_-]{32})$/;

export function createMailLinks(secret: Buffer): MailLinks {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "sextant mail links", 32));
  const sign = (purpose: MailLinkPurpose, id: string) =>
    createHmac("sha256", key).update(`${purpose} ${id}`).digest().subarray(0, SIGNATURE_BYTES);
  return {
    make: (purpose, id) => `${id}.${sign(purpose, id).toString("base64url")}`,
    read(token) {
      const [, id, prefix, signature] = TOKEN.exec(token) ?? [];
      if (id === undefined || signature === undefined) return undefined;
      const purpose = PURPOSES[prefix as keyof typeof PURPOSES];
      return timingSafeEqual(sign(purpose, id), Buffer.from(signature, "base64url")) ? { purpose, id } : undefined;
    },
  };
}
