/** What is known of a wallet, in short. What is not known is a dash, and what was never set is left out. */
import type { ReactNode } from "react";
import { PROPERTY_KEYS, TOUCH_FIELDS } from "../../../../src/contract/profile-fields.ts";
import type { Profile } from "../../api/profiles.ts";
import { valueName } from "../../format/names.ts";
import { full } from "../../format/numbers.ts";
import { ExplorerLink } from "../../ui/explorer-link.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { Empty } from "../../ui/states.tsx";
import { fieldName } from "./conditions.ts";
import { numberOf, textOf, timeOf, UNKNOWN } from "./profile-text.ts";

export function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel" aria-label={title}>
      <header className="panel-head">
        <h2>{title}</h2>
      </header>
      <div className="panel-body">{children}</div>
    </section>
  );
}

const TOTALS = [
  ["Sessions", "num_sessions", "count"],
  ["Events", "events", "count"],
  ["Transactions", "transactions", "count"],
  ["Signatures", "signatures", "count"],
  ["Volume", "volume", "amount"],
  ["Revenue", "revenue", "amount"],
  ["Points", "points", "number"],
] as const;

export function Totals({ profile }: { profile: Profile }) {
  return (
    <Fact title="Totals">
      <dl className="wallet-totals">
        {TOTALS.map(([label, column, format]) => (
          <div key={column}>
            <dt>{label}</dt>
            <dd>{numberOf(profile, profile[column], format)}</dd>
          </div>
        ))}
        <div>
          <dt>Active days</dt>
          <dd>{numberOf(profile, profile.activity_dates.length, "count")}</dd>
        </div>
      </dl>
    </Fact>
  );
}

/** What the app has said by setting it; the place stands with what events say. */
const PROPERTIES = PROPERTY_KEYS.filter((key) => key !== "user_id" && key !== "location");

export function Who({ profile }: { profile: Profile }) {
  const facts: (readonly [string, string])[] = [
    ["Lifecycle", textOf("lifecycle", profile.lifecycle)],
    ["First seen", timeOf(profile.first_seen)],
    ["Last seen", timeOf(profile.last_seen)],
    ["User id", textOf("user_id", profile.user_id)],
    ["Country", textOf("location", profile.location)],
    ["Device", textOf("device", profile.device)],
    ["Browser", textOf("browser", profile.browser)],
    ["System", textOf("os", profile.os)],
    // Only a provider tells it.
    ...(typeof profile.net_worth_usd === "number"
      ? [["Net worth", `${full(profile.net_worth_usd, "number")} USD`] as const]
      : []),
    ...(profile.imported_at === null ? [] : [["Imported", timeOf(profile.imported_at)] as const]),
    ...PROPERTIES.flatMap((key) =>
      typeof profile[key] === "string" ? [[fieldName(key), textOf(key, profile[key])] as const] : [],
    ),
  ];
  return (
    <Fact title="Who">
      <dl className="wallet-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Fact>
  );
}

const TOUCH_COLUMNS = ["channel", ...TOUCH_FIELDS.filter((name) => name !== "channel"), "paid_source"] as const;

export function Touches({ profile }: { profile: Profile }) {
  const known = TOUCH_COLUMNS.filter((name) => profile[`first_${name}`] !== null || profile[`last_${name}`] !== null);
  return (
    <Fact title="First and last touch">
      {known.length === 0 ? (
        <Empty title="How it came is not known" />
      ) : (
        <ScrollRegion label="First and last touch, table">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Column</th>
                <th scope="col">First</th>
                <th scope="col">Last</th>
              </tr>
            </thead>
            <tbody>
              {known.map((name) => (
                <tr key={name}>
                  <th scope="row">{fieldName(name)}</th>
                  <td>{textOf(name, profile[`first_${name}`])}</td>
                  <td>{textOf(name, profile[`last_${name}`])}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </Fact>
  );
}

export function Chains({ profile: { address, chains = [] } }: { profile: Profile }) {
  return (
    <Fact title="Chains">
      {chains.length === 0 ? <p>{UNKNOWN}</p> : null}
      <ul className="wallet-chains">
        {chains.map(({ chain_id }) => (
          <li key={chain_id}>
            {valueName("chain_id", chain_id)}
            <ExplorerLink chain={chain_id} address={address} />
          </li>
        ))}
      </ul>
    </Fact>
  );
}
