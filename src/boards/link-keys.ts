/**
 * The tokens of public links, and what proves that somebody knew a link's password. A token is found by its keyed hash,
 * as API keys are, and kept encrypted beside it, so that members can copy it again.
 */
import { createHash, createSecretKey } from "node:crypto";
import { LINK_LIMITS } from "../contract/link-limits.ts";
import { createKeyText, hashKey } from "../control/key-text.ts";
import { createSecretBox } from "../control/secret-box.ts";
import { newId } from "../lib/ids.ts";
import { DAY_MS, HOUR_MS } from "../lib/time.ts";

export interface LinkKeys {
  make(linkId: string): { readonly hash: string; readonly sealed: string };
  /** The token of a link; undefined where it was sealed under another secret. Its hash no longer matches, either. */
  find(linkId: string, sealed: string): string | undefined;
  hash(token: string): string;
}

export function createLinkKeys(secret: Buffer): LinkKeys {
  const box = createSecretBox(secret, "board links");
  const key = createSecretKey(secret);
  return {
    make(linkId) {
      const token = createKeyText("link");
      return { hash: hashKey(key, token), sealed: box.seal(linkId, token) };
    },
    find(linkId, sealed) {
      try {
        return box.open(linkId, sealed);
      } catch {
        return undefined;
      }
    },
    hash: (token) => hashKey(key, token),
  };
}

/** Sealed and not stored: strangers who type passwords write no row. */
export interface Openings {
  /** For a client that is known, or a new one. */
  make(link: Locked, clientId: string | undefined, nowMs: number): { token: string; untilMs: number };
  /** Undefined if it is none of this link. */
  read(link: Locked, token: string | undefined, nowMs: number): ReadOpening | undefined;
}

interface Locked {
  readonly id: string;
  readonly passwordHash: string;
}

interface ReadOpening {
  /** Whether it opens the link now. */
  readonly isOpen: boolean;
  /** Whether it was made with the password that the link has now. */
  readonly isOfPassword: boolean;
  /** Whom it was made for. */
  readonly clientId: string;
}

interface Opening {
  readonly clientId: string;
  readonly password: string;
  readonly untilMs: number;
}

export function createOpenings(secret: Buffer): Openings {
  const box = createSecretBox(secret, "opened links");
  return {
    make({ id, passwordHash }, clientId, nowMs) {
      const untilMs = nowMs + LINK_LIMITS.openedHours * HOUR_MS;
      const opening: Opening = { clientId: clientId ?? newId("clt"), password: nameOf(passwordHash), untilMs };
      return { token: box.seal(id, JSON.stringify(opening)), untilMs };
    },
    read({ id, passwordHash }, token, nowMs) {
      if (token === undefined) return undefined;
      let opening: Opening;
      try {
        opening = JSON.parse(box.open(id, token)) as Opening;
      } catch {
        return undefined;
      }
      if (opening.untilMs + LINK_LIMITS.knownDays * DAY_MS <= nowMs) return undefined;
      const isOfPassword = opening.password === nameOf(passwordHash);
      return { isOpen: isOfPassword && opening.untilMs > nowMs, isOfPassword, clientId: opening.clientId };
    },
  };
}

/** Tells a password from a later one, and says nothing of it. */
function nameOf(passwordHash: string): string {
  return createHash("sha256").update(passwordHash).digest("base64url").slice(0, 16);
}
