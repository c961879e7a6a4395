import { FORM_LIMITS } from "../contract/forms.ts";
import type { Answer, Problem } from "./answers.ts";

export type Verdict = Answer | Problem;

export function isAnswer(verdict: Verdict): verdict is Answer {
  return "kind" in verdict;
}

export const NOT_TEXT: Problem = { api: "must be a string", page: "Please enter a text." };

/** Checks the shape only; a message to the address would be the proof. One @, a domain with a dot, no header syntax. */
const EMAIL = /^[^\s@<>(),;:"\\[\]]+@[^\s@<>(),;:"\\[\]]+\.[^\s@<>(),;:"\\[\].]{2,}$/;

export function checkEmail(value: unknown): Verdict {
  if (typeof value === "string" && value.length <= FORM_LIMITS.emailChars && EMAIL.test(value) && !value.includes(".."))
    return { kind: "plain", value };
  return {
    api: "must be an email address such as name@example.com",
    page: "Enter an email address, for example name@example.com.",
  };
}

export function checkUrl(value: unknown): Verdict {
  const wrong = {
    api: "must be a URL that starts with https:// or http://",
    page: "Enter a web address that starts with https://, for example https://example.com.",
  };
  if (typeof value !== "string" || value.length > FORM_LIMITS.urlChars || /\s/.test(value)) return wrong;
  // Any other scheme, above all javascript:, could attack the person who clicks on the link.
  const right = /^https?:\/\//i.test(value) && URL.canParse(value);
  return right ? { kind: "plain", value } : wrong;
}

const EVM = /^0x[0-9a-f]{40}$/i;
/** Base58 omits 0, O, I and l; 32 bytes are 32 to 44 characters. */
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** The checksum in the capitals of an EVM address is not verified: wallets and people write all three forms. */
export function checkWallet(address: string): Verdict {
  if (EVM.test(address) || SOLANA.test(address)) return { kind: "identity", address };
  return {
    api: "must be an EVM address (0x and 40 hexadecimal digits) or a Solana address",
    page: "Enter a wallet address: 0x and 40 more characters, or a Solana address.",
  };
}

export function checkSocial(address: string): Verdict {
  const plain = /^[^\s\p{Cc}]+$/u.test(address) && address.length <= FORM_LIMITS.identityChars;
  if (plain) return { kind: "identity", address };
  return {
    api: `must be a handle or profile address of at most ${FORM_LIMITS.identityChars} characters without blanks`,
    page: "Enter a handle or profile address without blanks, for example @name.",
  };
}

/**
 * A wallet or profile: its address as text, or an object with the address, as wallet connections and sign-ins send it.
 */
export function checkIdentity(value: unknown, check: (address: string) => Verdict): Verdict {
  const object = (typeof value === "object" ? value : { address: value }) as { [name: string]: unknown };
  const address = [object.address, object.username, object.handle].find((part) => part !== undefined && part !== null);
  return check(typeof address === "string" ? address.trim() : "");
}
