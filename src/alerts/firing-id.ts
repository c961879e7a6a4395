/**
 * Ids made of what is told. Whoever looks at the same event again, after a crash or a restored backup, makes the same
 * id: the firing is there already, and a receiver knows the message.
 */
import { createHash } from "node:crypto";

const hashOf = (parts: readonly string[]) => createHash("sha256").update(JSON.stringify(parts)).digest("hex");

/** `what` names the match: the key of an event, a wallet and its event, the start of a window. */
export function firingId(alertId: string, ...what: readonly string[]): string {
  return `frg_${hashOf([alertId, ...what]).slice(0, 32)}`;
}

/** `evt_` and a UUID (version 8: made by the application). */
export function messageId(firing: string): string {
  const hex = hashOf([firing]);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ];
  return `evt_${parts.join("-")}`;
}
