import { explorerUrl } from "../format/explorers.ts";
import { seenText } from "../format/names.ts";
import { Icon } from "./icon.tsx";

/** Nothing where no explorer of the chain is known. */
export function ExplorerLink({ chain, address }: { chain: string; address: string }) {
  const url = explorerUrl(chain, address);
  if (url === undefined) return null;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" title={seenText(address)}>
      {new URL(url).host} <Icon name="external" size={12} />
    </a>
  );
}
