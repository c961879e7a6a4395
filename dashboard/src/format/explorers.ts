/** Where people look an address up: links that a person follows, and nothing that the page asks. */
const EXPLORERS: Readonly<Record<string, string>> = {
  "1": "https://etherscan.io/address/",
  "10": "https://optimistic.etherscan.io/address/",
  "56": "https://bscscan.com/address/",
  "97": "https://testnet.bscscan.com/address/",
  "100": "https://gnosisscan.io/address/",
  "130": "https://uniscan.xyz/address/",
  "137": "https://polygonscan.com/address/",
  "146": "https://sonicscan.org/address/",
  "204": "https://opbnb.bscscan.com/address/",
  "324": "https://explorer.zksync.io/address/",
  "480": "https://worldscan.org/address/",
  "1284": "https://moonscan.io/address/",
  "8453": "https://basescan.org/address/",
  "42161": "https://arbiscan.io/address/",
  "42170": "https://nova.arbiscan.io/address/",
  "42220": "https://celoscan.io/address/",
  "43114": "https://snowscan.xyz/address/",
  "59144": "https://lineascan.build/address/",
  "80094": "https://berascan.com/address/",
  "81457": "https://blastscan.io/address/",
  "84532": "https://sepolia.basescan.org/address/",
  "421614": "https://sepolia.arbiscan.io/address/",
  "534352": "https://scrollscan.com/address/",
  "900001": "https://solscan.io/account/",
  "11155111": "https://sepolia.etherscan.io/address/",
};

export const EXPLORER_HOSTS: readonly string[] = Object.values(EXPLORERS).map((url) => new URL(url).host);

/** Undefined: no explorer of the chain is known. */
export function explorerUrl(chain: string, address: string): string | undefined {
  const start = Object.hasOwn(EXPLORERS, chain) ? EXPLORERS[chain] : undefined;
  return start === undefined ? undefined : `${start}${encodeURIComponent(address)}`;
}
