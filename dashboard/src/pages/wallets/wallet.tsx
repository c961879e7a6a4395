import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { findAddress } from "../../../../src/contract/addresses.ts";
import { RequestFailed } from "../../api/failure.ts";
import { type Profile, profileRequest, useProfile } from "../../api/profiles.ts";
import { seenText, shortAddress } from "../../format/names.ts";
import { type RawSearch, text } from "../../state/search.ts";
import { useView } from "../../state/view.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import { RequestDialog } from "../../ui/request-dialog.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { Amounts } from "./amounts.tsx";
import { Labels } from "./labels.tsx";
import { SeenWith } from "./seen-with.tsx";
import { Timeline } from "./timeline.tsx";
import { Chains, Totals, Touches, Who } from "./wallet-facts.tsx";
import "./wallets.css";

/** One wallet: who it is, what it is worth, where it came from, and everything it did. */
export function WalletPage() {
  const search = useSearch({ strict: false }) as RawSearch;
  const { project } = useView();
  const asked = text(search.address) ?? "";
  const address = findAddress(asked) ?? asked;
  const profile = useProfile(project, address);
  const [showsRequest, setShowsRequest] = useState(false);
  const isGone = profile.error instanceof RequestFailed && [400, 404].includes(profile.error.status);
  return (
    <div className="wallet-page">
      <Link to="/app/wallets" className="wallet-back">
        <Icon name="back" /> All wallets
      </Link>
      <div className="page-head">
        <div className="wallet-name">
          <h1>{titleOf(address, profile.data)}</h1>
          {address === "" ? null : (
            <p>
              <code>{seenText(profile.data?.address ?? address)}</code>
              <CopyButton text={profile.data?.address ?? address} label="Copy the address" />
            </p>
          )}
        </div>
        <button type="button" className="button" disabled={address === ""} onClick={() => setShowsRequest(true)}>
          <Icon name="terminal" />
          Request
        </button>
      </div>
      {address === "" || isGone ? (
        <div className="panel">
          <Empty title="This project has no such wallet" icon="search">
            None of its events has the address, and your app has told nothing about it.
          </Empty>
        </div>
      ) : null}
      {profile.error && !isGone ? (
        <div className="panel">
          <Failure failure={profile.error} onRetry={() => void profile.refetch()} />
        </div>
      ) : null}
      {profile.isPending && !profile.error && address !== "" ? <Skeleton rows={10} /> : null}
      {profile.data ? <Sections key={profile.data.address} profile={profile.data} /> : null}
      {showsRequest ? (
        <RequestDialog request={profileRequest(project, address)} onClose={() => setShowsRequest(false)} />
      ) : null}
    </div>
  );
}

function titleOf(address: string, profile: Profile | undefined): string {
  if (address === "") return "Wallet";
  return seenText(profile?.display_name ?? profile?.ens ?? shortAddress(profile?.address ?? address));
}

function Sections({ profile }: { profile: Profile }) {
  return (
    <>
      <Totals profile={profile} />
      <div className="wallet-columns">
        <Who profile={profile} />
        <Touches profile={profile} />
        <Labels profile={profile} />
        <Chains profile={profile} />
        {profile.first_seen === null ? null : <SeenWith profile={profile} />}
      </div>
      {profile.first_seen === null ? null : <Amounts profile={profile} />}
      <Timeline profile={profile} />
    </>
  );
}
