/** Addresses of mail, as targets of the outbox. */

/** RFC 5321: an address has at most 254 characters. */
const ADDRESS_CHARS = 254;

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

/**
 * An address as a recipient of the outbox; undefined for what is none. Lanes of one domain share slots, and usually fail
 * together.
 */
export function mailRecipient(text: string) {
  const address = text.trim();
  if (!isMailAddress(address)) return undefined;
  const domain = mailboxOf(address.slice(address.lastIndexOf("@") + 1));
  return { channel: "email" as const, targetUrl: `mailto:${address}`, targetOrigin: `mailto:${domain}` };
}

export function addressOfTarget(targetUrl: string): string {
  return targetUrl.slice("mailto:".length);
}
