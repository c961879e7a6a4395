/** Where people look an address up: links that a person follows, and nothing that the page asks. */
const EXPLORERS: Readonly<Record<string, string>> = {
  "1": "https://etherscan.io/address/",
  "10": "https://optimistic.etherscan.io/address/",
  "14": "https://flare-explorer.flare.network/address/",
  "25": "https://explorer.cronos.org/address/",
  "56": "https://bscscan.com/address/",
  "97": "https://testnet.bscscan.com/address/",
  "100": "https://gnosisscan.io/address/",
  "130": "https://uniscan.xyz/address/",
  "137": "https://polygonscan.com/address/",
  "143": "https://monadscan.com/address/",
  "146": "https://sonicscan.org/address/",
  "204": "https://opbnb.bscscan.com/address/",
  "324": "https://explorer.zksync.io/address/",
  "480": "https://worldscan.org/address/",
  "999": "https://hyperevmscan.io/address/",
  "1088": "https://andromeda-explorer.metis.io/address/",
  "1101": "https://zkevm.polygonscan.com/address/",
  "1284": "https://moonscan.io/address/",
  "1329": "https://seiscan.io/address/",
  "1868": "https://soneium.blockscout.com/address/",
  "2020": "https://app.roninchain.com/address/",
  "2741": "https://abscan.org/address/",
  "5000": "https://mantlescan.xyz/address/",
  "8217": "https://kaiascan.io/address/",
  "8453": "https://basescan.org/address/",
  "33139": "https://apescan.io/address/",
  "34443": "https://explorer.mode.network/address/",
  "42161": "https://arbiscan.io/address/",
  "42170": "https://nova.arbiscan.io/address/",
  "42220": "https://celoscan.io/address/",
  "43113": "https://testnet.snowscan.xyz/address/",
  "43114": "https://snowscan.xyz/address/",
  "57073": "https://explorer.inkonchain.com/address/",
  "59141": "https://sepolia.lineascan.build/address/",
  "59144": "https://lineascan.build/address/",
  "60808": "https://explorer.gobob.xyz/address/",
  "80002": "https://amoy.polygonscan.com/address/",
  "80094": "https://berascan.com/address/",
  "81457": "https://blastscan.io/address/",
  "84532": "https://sepolia.basescan.org/address/",
  "167000": "https://taikoscan.io/address/",
  "421614": "https://sepolia.arbiscan.io/address/",
  "534351": "https://sepolia.scrollscan.com/address/",
  "534352": "https://scrollscan.com/address/",
  "900001": "https://solscan.io/account/",
  "900002": "https://solscan.io/account/?cluster=testnet",
  "900003": "https://solscan.io/account/?cluster=devnet",
  "7777777": "https://explorer.zora.energy/address/",
  "11155111": "https://sepolia.etherscan.io/address/",
  "11155420": "https://sepolia-optimism.etherscan.io/address/",
  "168587773": "https://sepolia.blastscan.io/address/",
  "1313161554": "https://explorer.aurora.dev/address/",
  // Chains without a number, as apps name them.
  aptos: "https://explorer.aptoslabs.com/account/",
  bitcoin: "https://mempool.space/address/",
  near: "https://nearblocks.io/address/",
  solana: "https://solscan.io/account/",
  sui: "https://suiscan.xyz/mainnet/account/",
  ton: "https://tonviewer.com/",
  tron: "https://tronscan.org/#/address/",
};

export const EXPLORER_HOSTS: readonly string[] = Object.values(EXPLORERS).map((url) => new URL(url).host);

/** Undefined: no explorer of the chain is known. */
export function explorerUrl(chain: string, address: string): string | undefined {
  const key = chain.toLowerCase();
  const [start, query] = Object.hasOwn(EXPLORERS, key) ? (EXPLORERS[key] ?? "").split("?") : [];
  if (start === undefined) return undefined;
  return `${start}${encodeURIComponent(address)}${query === undefined ? "" : `?${query}`}`;
}
