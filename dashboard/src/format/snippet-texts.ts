/** How an app sends its events here, by kind of app. The address and the write key are filled in. */

export interface SnippetTarget {
  eventsUrl: string;
  writeKey: string;
}

export interface Snippet {
  name: string;
  label: string;
  /** What a person must know that the code does not say. */
  note: string;
  text: (target: SnippetTarget) => string;
}

const LOCALHOST =
  "On localhost the SDK sends nothing unless tracking is true. Leave that option out on a public site if you like.";

const INSTALL = "Install the SDK first: npm install @formo/analytics.";

const endpoint = ({ eventsUrl }: SnippetTarget) => `${eventsUrl}/v0/raw_events`;

export const SNIPPETS: readonly Snippet[] = [
  {
    name: "html",
    label: "HTML",
    note: 'One line in the <head> of every page: it counts pages, wallets, signatures and transactions, without cookies. Your own events: sextant.track("Swap Completed", { revenue: 1.25, volume: 500 }).',
    text: (target) => `<script defer src="${target.eventsUrl}/script.js" data-key="${target.writeKey}"></script>`,
  },
  {
    name: "react",
    label: "React",
    note: `${INSTALL} ${LOCALHOST}`,
    text: (target) => `import { FormoAnalyticsProvider } from "@formo/analytics";

<FormoAnalyticsProvider
  writeKey="${target.writeKey}"
  options={{ apiHost: "${endpoint(target)}", tracking: true }}
>
  <App />
</FormoAnalyticsProvider>`,
  },
  {
    name: "next",
    label: "Next.js",
    note: `${INSTALL} The provider needs the browser: keep "use client". ${LOCALHOST}`,
    text: (target) => `"use client";
// app/analytics.tsx; wrap the children of app/layout.tsx with it
import { FormoAnalyticsProvider } from "@formo/analytics";
import type { ReactNode } from "react";

export function Analytics({ children }: { children: ReactNode }) {
  return (
    <FormoAnalyticsProvider
      writeKey="${target.writeKey}"
      options={{ apiHost: "${endpoint(target)}", tracking: true }}
    >
      {children}
    </FormoAnalyticsProvider>
  );
}`,
  },
  {
    name: "wagmi",
    label: "wagmi",
    note: `${INSTALL} With wagmi's config and query client the SDK sees connects, signatures and transactions. ${LOCALHOST}`,
    text: (target) => `<WagmiProvider config={config}>
  <QueryClientProvider client={queryClient}>
    <FormoAnalyticsProvider
      writeKey="${target.writeKey}"
      options={{
        apiHost: "${endpoint(target)}",
        tracking: true,
        wagmi: { config, queryClient },
      }}
    >
      <App />
    </FormoAnalyticsProvider>
  </QueryClientProvider>
</WagmiProvider>`,
  },
  {
    name: "solana",
    label: "Solana",
    note: "Send what the wallet adapter tells you. The address is kept as it is spelt.",
    text: (target) => `wallet.on("connect", (publicKey) =>
  fetch("${endpoint(target)}", {
    method: "POST",
    headers: { Authorization: "Bearer ${target.writeKey}", "Content-Type": "application/json" },
    body: JSON.stringify([{
      channel: "web", type: "connect", version: "1",
      anonymous_id: visitorId, address: publicKey.toBase58(),
      context: { page_url: location.href }, properties: { provider_name: wallet.name },
    }]),
  }),
);`,
  },
  {
    name: "node",
    label: "Node",
    note: "A server's events carry the visitor's anonymous_id, so that revenue counts under the source of the visit.",
    text: (target) => `await fetch("${endpoint(target)}", {
  method: "POST",
  headers: { Authorization: "Bearer ${target.writeKey}", "Content-Type": "application/json" },
  body: JSON.stringify([{
    channel: "server", type: "track", version: "1", event: "Swap Completed",
    anonymous_id: visitorId, properties: { revenue: 1.25, volume: 500 },
  }]),
});`,
  },
  {
    name: "curl",
    label: "curl",
    note: "One event, from any terminal.",
    text: (target) => `curl -sS '${endpoint(target)}' \\
  -H 'Authorization: Bearer ${target.writeKey}' \\
  -H 'Content-Type: application/json' \\
  -d '[{"channel":"web","type":"page","version":"1","anonymous_id":"me","context":{"page_url":"https://app.example/swap"}}]'`,
  },
  {
    name: "agent",
    label: "Coding agent",
    note: "Paste it into your coding agent, in your app's repository.",
    text: (target) => `Add web3 analytics to this app with the npm package @formo/analytics.
- Initialise it once, as early as possible, with write key "${target.writeKey}"
  and the option apiHost: "${endpoint(target)}".
- Set tracking: true, because it sends nothing on localhost otherwise.
- If the app uses wagmi, pass wagmi: { config, queryClient } in the options.
- Track completed swaps, deposits and other paid actions with
  analytics.track("<Name>", { revenue, volume }), in US dollars.
- Do not put the write key into a secret store: it is public by design.
Then open the app and check that POST requests to ${endpoint(target)} answer 200.`,
  },
];
