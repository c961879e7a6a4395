import{r as e}from"./rolldown-runtime-XKyaHtl9.js";import{D as t,O as n}from"./packages-C9rSPx5P.js";import{Ct as r,Ln as i,Tr as a,nr as o,zn as s}from"./parts-DRK_lOJK.js";var c=e(n(),1),l=`On localhost the SDK sends nothing unless tracking is true. Leave that option out on a public site if you like.`,u=`Install the SDK first: npm install @formo/analytics.`,d=({eventsUrl:e})=>`${e}/v0/raw_events`,f=[{name:`html`,label:`HTML`,note:`One line in the <head> of every page: it counts pages, wallets, signatures and transactions, without cookies. Your own events: sextant.track("Swap Completed", { revenue: 1.25, volume: 500 }).`,text:e=>`<script defer src="${e.eventsUrl}/script.js" data-key="${e.writeKey}"><\/script>`},{name:`react`,label:`React`,note:`${u} ${l}`,text:e=>`import { FormoAnalyticsProvider } from "@formo/analytics";

<FormoAnalyticsProvider
  writeKey="${e.writeKey}"
  options={{ apiHost: "${d(e)}", tracking: true }}
>
  <App />
</FormoAnalyticsProvider>`},{name:`next`,label:`Next.js`,note:`${u} The provider needs the browser: keep "use client". ${l}`,text:e=>`"use client";
// app/analytics.tsx; wrap the children of app/layout.tsx with it
import { FormoAnalyticsProvider } from "@formo/analytics";
import type { ReactNode } from "react";

export function Analytics({ children }: { children: ReactNode }) {
  return (
    <FormoAnalyticsProvider
      writeKey="${e.writeKey}"
      options={{ apiHost: "${d(e)}", tracking: true }}
    >
      {children}
    </FormoAnalyticsProvider>
  );
}`},{name:`wagmi`,label:`wagmi`,note:`${u} With wagmi's config and query client the SDK sees connects, signatures and transactions. ${l}`,text:e=>`<WagmiProvider config={config}>
  <QueryClientProvider client={queryClient}>
    <FormoAnalyticsProvider
      writeKey="${e.writeKey}"
      options={{
        apiHost: "${d(e)}",
        tracking: true,
        wagmi: { config, queryClient },
      }}
    >
      <App />
    </FormoAnalyticsProvider>
  </QueryClientProvider>
</WagmiProvider>`},{name:`solana`,label:`Solana`,note:`Send what the wallet adapter tells you. The address is kept as it is spelt.`,text:e=>`wallet.on("connect", (publicKey) =>
  fetch("${d(e)}", {
    method: "POST",
    headers: { Authorization: "Bearer ${e.writeKey}", "Content-Type": "application/json" },
    body: JSON.stringify([{
      channel: "web", type: "connect", version: "1",
      anonymous_id: visitorId, address: publicKey.toBase58(),
      context: { page_url: location.href }, properties: { provider_name: wallet.name },
    }]),
  }),
);`},{name:`node`,label:`Node`,note:`A server's events carry the visitor's anonymous_id, so that revenue counts under the source of the visit.`,text:e=>`await fetch("${d(e)}", {
  method: "POST",
  headers: { Authorization: "Bearer ${e.writeKey}", "Content-Type": "application/json" },
  body: JSON.stringify([{
    channel: "server", type: "track", version: "1", event: "Swap Completed",
    anonymous_id: visitorId, properties: { revenue: 1.25, volume: 500 },
  }]),
});`},{name:`curl`,label:`curl`,note:`One event, from any terminal.`,text:e=>`curl -sS '${d(e)}' \\
  -H 'Authorization: Bearer ${e.writeKey}' \\
  -H 'Content-Type: application/json' \\
  -d '[{"channel":"web","type":"page","version":"1","anonymous_id":"me","context":{"page_url":"https://app.example/swap"}}]'`},{name:`agent`,label:`Coding agent`,note:`Paste it into your coding agent, in your app's repository.`,text:e=>`Add web3 analytics to this app with the npm package @formo/analytics.
- Initialise it once, as early as possible, with write key "${e.writeKey}"
  and the option apiHost: "${d(e)}".
- Set tracking: true, because it sends nothing on localhost otherwise.
- If the app uses wagmi, pass wagmi: { config, queryClient } in the options.
- Track completed swaps, deposits and other paid actions with
  analytics.track("<Name>", { revenue, volume }), in US dollars.
- Do not put the write key into a secret store: it is public by design.
Then open the app and check that POST requests to ${d(e)} answer 200.`}],p=t();function m({writeKey:e}){let{urls:t}=a(),[n,o]=(0,c.useState)(`html`),l=f.find(e=>e.name===n)??f[0];if(l===void 0)return null;let u=l.text({eventsUrl:t.events,writeKey:e});return(0,p.jsxs)(`div`,{className:`snippets`,children:[(0,p.jsx)(r,{label:`Kind of app`,options:f.map(e=>({value:e.name,label:e.label})),value:n,onChange:o}),(0,p.jsx)(i,{text:u}),(0,p.jsxs)(`div`,{className:`snippets-foot`,children:[(0,p.jsx)(`p`,{className:`note`,children:l.note}),(0,p.jsx)(s,{text:u,children:`Copy`})]})]})}function h({writeKey:e,onClose:t}){return(0,p.jsxs)(o,{title:`New write key`,onClose:t,wide:!0,children:[(0,p.jsx)(`p`,{children:`It may stand in your site's code. It is shown only this once.`}),(0,p.jsx)(`pre`,{className:`code`,tabIndex:-1,"data-autofocus":!0,children:e}),(0,p.jsx)(m,{writeKey:e})]})}export{m as n,h as t};