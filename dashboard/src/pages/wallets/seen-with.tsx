/** Who else the visitors of a wallet were: other wallets, user ids, and how many browsers. Nothing is merged. */
import type { ReactNode } from "react";
import { type Identity, type Profile, useIdentities } from "../../api/profiles.ts";
import { seenText } from "../../format/names.ts";
import { useView } from "../../state/view.ts";
import { Address } from "../../ui/address.tsx";
import { Failure, Skeleton } from "../../ui/states.tsx";
import { timeOf, UNKNOWN } from "./profile-text.ts";
import { Fact } from "./wallet-facts.tsx";

/** Of a shared machine there may be hundreds. */
const SHOWN = 10;

export function SeenWith({ profile: { address } }: { profile: Profile }) {
  const { project } = useView();
  const identities = useIdentities(project, address);
  return (
    <Fact title="Also seen with">
      {identities.error ? <Failure failure={identities.error} onRetry={() => void identities.refetch()} /> : null}
      {identities.isPending ? <Skeleton rows={3} /> : null}
      {identities.data ? <Found identities={identities.data} address={address} /> : null}
    </Fact>
  );
}

function Found({ identities, address }: { identities: readonly Identity[]; address: string }) {
  const wallets = latestOf(identities, "address").filter(([other]) => other !== address);
  const users = latestOf(identities, "user_id");
  const visitors = latestOf(identities, "anonymous_id");
  return (
    <dl className="wallet-facts wallet-seen-with">
      <div>
        <dt>Other wallets</dt>
        <dd>
          <Listed items={wallets} draw={(other) => <Address isSeen address={other} />} />
        </dd>
      </div>
      <div>
        <dt>User ids</dt>
        <dd>
          <Listed items={users} draw={(user) => <span>{seenText(user)}</span>} />
        </dd>
      </div>
      <div>
        <dt>Visitors</dt>
        <dd>
          <Listed items={visitors} draw={(visitor) => <code>{seenText(visitor)}</code>} />
        </dd>
      </div>
    </dl>
  );
}

function Listed({ items, draw }: { items: readonly (readonly [string, string])[]; draw: (name: string) => ReactNode }) {
  if (items.length === 0) return UNKNOWN;
  return (
    <ul className="wallet-seen">
      {items.slice(0, SHOWN).map(([name, last]) => (
        <li key={name} title={`Last seen together ${timeOf(last)}`}>
          {draw(name)}
        </li>
      ))}
      {items.length > SHOWN ? <li className="note">and {items.length - SHOWN} more</li> : null}
    </ul>
  );
}

/** Each name once with its latest time, the latest first. The answer has that order. */
function latestOf(identities: readonly Identity[], column: "address" | "user_id" | "anonymous_id") {
  const latest = new Map<string, string>();
  for (const one of identities) {
    const name = one[column];
    if (name !== "" && !latest.has(name)) latest.set(name, one.last_seen);
  }
  return [...latest];
}
