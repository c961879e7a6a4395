/** Addresses of wallets as clients write them. */

const EVM = /^0x[0-9a-f]{40}$/i;
/** Base58 omits 0, O, I and l; 32 bytes are 32 to 44 characters. */
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Labels of letters, digits and more, joined by dots; what a name service takes is its own matter. */
const NAME = /^[^\s/.][^\s/]*\.[^\s/.]{2,}$/u;

/** Of other chains; events keep any text. */
const OTHER = /^[^\s\p{Cc}/]{1,255}$/u;

export const ADDRESS_PROBLEM = "must be an EVM address (0x and 40 hexadecimal digits) or a Solana address";

/** As it is stored: mixed case of an EVM address is only a checksum. Undefined: it is none. */
export function findAddress(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const bare = text.trim();
  if (EVM.test(bare)) return bare.toLowerCase();
  return SOLANA.test(bare) ? bare : undefined;
}

/** The same of any chain: where a wallet with events is meant, its address is what they have. */
export function findAnyAddress(text: unknown): string | undefined {
  const bare = typeof text === "string" ? text.trim() : "";
  return findAddress(bare) ?? (OTHER.test(bare) && bare.isWellFormed() ? bare : undefined);
}

/** A name such as `vitalik.eth`, in lower case. Undefined: it is none. */
export function findWalletName(text: string): string | undefined {
  const bare = text.trim().toLowerCase();
  return NAME.test(bare) && bare.isWellFormed() ? bare : undefined;
}
