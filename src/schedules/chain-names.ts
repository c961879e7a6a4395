/** The chains that most reports name. A test compares them with the longer list of the dashboard. */
export const CHAIN_NAMES: Readonly<Record<string, string>> = {
  "1": "Ethereum",
  "10": "OP Mainnet",
  "56": "BNB Chain",
  "100": "Gnosis",
  "130": "Unichain",
  "137": "Polygon",
  "324": "ZKsync Era",
  "8453": "Base",
  "42161": "Arbitrum One",
  "43114": "Avalanche",
  "59144": "Linea",
  "534352": "Scroll",
};

export function nameOfChain(id: string): string {
  if (id === "") return "(none)";
  return (Object.hasOwn(CHAIN_NAMES, id) ? CHAIN_NAMES[id] : undefined) ?? `Chain ${id}`;
}
