import { Link } from "@tanstack/react-router";
import { findAddress, findAnyAddress } from "../../../src/contract/addresses.ts";
import { useIsSignedIn } from "../api/session.ts";
import { seenText, shortAddress } from "../format/names.ts";
import { CopyButton } from "./copy.tsx";

interface AddressProps {
  /** As it came: an address of any letter case, or another text, which is shown as it is. */
  address: string;
  /** An event has it: then it is an address, of whatever chain. */
  isSeen?: boolean;
  whole?: boolean;
  canCopy?: boolean;
}

/** An address leads to the page of its wallet, wherever it stands. Who has a public link alone has no such page. */
export function Address({ address, isSeen = false, whole = false, canCopy = false }: AddressProps) {
  const isSignedIn = useIsSignedIn();
  const wallet = isSeen ? findAnyAddress(address) : findAddress(address);
  const text = whole ? address : shortAddress(address);
  if (wallet === undefined) return seenText(text);
  return (
    <span className="address" title={address}>
      {isSignedIn ? (
        <Link to="/app/wallets/wallet" search={{ address: wallet } as never}>
          {text}
        </Link>
      ) : (
        text
      )}
      {canCopy ? <CopyButton text={address} label={`Copy ${shortAddress(address)}`} /> : null}
    </span>
  );
}
