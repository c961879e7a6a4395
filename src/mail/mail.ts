/** A mail, and the server that sends it. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  readonly isSecure: boolean;
  /** Empty for a server that asks for none. */
  readonly user: string;
  readonly password: string;
  /** Whether the connection may be without TLS. */
  readonly allowPlain: boolean;
  /** `Name <address>`, or an address. */
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** RFC 5321: an address has at most 254 characters. */
export const ADDRESS_CHARS = 254;

/**
 * One address as people have it: no display name, no quotes, no comment, no list, and nothing that could begin another
 * header or recipient. Names outside of ASCII are left out: few servers take them.
 */
export function isMailAddress(text: string): boolean {
  if (text.length > ADDRESS_CHARS) return false;
  const at = text.lastIndexOf("@");
  return LOCAL.test(text.slice(0, Math.max(at, 0))) && DOMAIN.test(text.slice(at + 1));
}

const LOCAL = /^(?=.{1,64}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/;

/** Two spellings of one mailbox: servers that tell upper from lower case are not found any more. */
export function mailboxOf(address: string): string {
  return address.toLowerCase();
}
