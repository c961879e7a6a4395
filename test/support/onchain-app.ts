/** Events of an onchain app over the last weeks, as its SDK would send them. */
import { sampleEvent } from "./events.ts";

const DAY_MS = 86_400_000;
const PEOPLE = 40;
const WALLETS = ["MetaMask", "Rabby", "Coinbase Wallet"];
const SOURCES = ["https://www.google.com/", "https://t.co/x", ""];

export function onchainEvents(nowMs: number): object[] {
  return Array.from({ length: PEOPLE }, (_, person) => journeyOf(person, nowMs)).flat();
}

/** A person visits, some connect, some transact, some come back a week later. */
function journeyOf(person: number, nowMs: number): object[] {
  // Nothing happens within an hour of 30 days ago: a statement about those would have another answer minutes later.
  const startMs = nowMs - (60 - person) * DAY_MS - person * 3_400_000;
  const address = `0x${(person + 1).toString(16).padStart(40, "0")}`;
  const wallet = { address: person % 4 === 3 ? "" : address };
  const page = "https://app.example.com/swap";
  const landing = person % 2 === 0 ? "?utm_source=news&utm_campaign=spring&ref=alice" : "";
  const at = (minutes: number) => new Date(startMs + minutes * 60_000).toISOString();
  const send = (name: string, minutes: number, changes: Record<string, unknown>) =>
    sampleEvent(`${person} ${name}`, {
      anonymous_id: `visitor ${person}`,
      original_timestamp: at(minutes),
      sent_at: new Date(nowMs).toISOString(),
      ...changes,
    });
  const context = JSON.stringify({
    page_url: page + landing,
    referrer: SOURCES[person % SOURCES.length],
    location: person % 3 === 0 ? "DE" : "US",
    user_agent:
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
  });
  const provider = { provider_name: WALLETS[person % WALLETS.length], rdns: "io.example", chain_id: 1 + (person % 2) };
  const paid = { ...provider, volume: 100 + person, revenue: 1.5, status: person % 5 === 0 ? "rejected" : "confirmed" };
  return [
    send("page", 0, { type: "page", context }),
    send("connect", 2, { type: "connect", context, ...wallet, properties: JSON.stringify(provider) }),
    send("transaction", 5, { type: "transaction", context, ...wallet, properties: JSON.stringify(paid) }),
    send("again", 7 * 1_440, { type: "page", context, ...wallet }),
    send("other chain", 7 * 1_440 + 3, {
      type: "transaction",
      ...wallet,
      context,
      properties: JSON.stringify({ ...paid, chain_id: 8453 }),
    }),
  ];
}
