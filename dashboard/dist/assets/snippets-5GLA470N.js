import{r as e}from"./rolldown-runtime-XKyaHtl9.js";import{D as t,O as n}from"./packages-C9rSPx5P.js";import{Bn as r,Ct as i,Er as a,Rn as o,Vt as s,rr as c}from"./parts-Jyklk2ZF.js";var l=e(n(),1),u=`On localhost the SDK sends nothing unless tracking is true. Leave that option out on a public site if you like.`,d=`Install the SDK first: npm install @formo/analytics.`,f=({eventsUrl:e})=>`${e}/v0/raw_events`,p=[{name:`html`,label:`HTML`,note:`One line in the <head> of every page: it counts pages, wallets, signatures and transactions, without cookies. Your own events: sextant.track("Swap Completed", { revenue: 1.25, volume: 500 }).`,text:e=>`<script defer src="${e.eventsUrl}/script.js" data-key="${e.writeKey}"><\/script>`},{name:`react`,label:`React`,note:`${d} ${u}`,text:e=>`import { FormoAnalyticsProvider } from "@formo/analytics";

<FormoAnalyticsProvider
  writeKey="${e.writeKey}"
  options={{ apiHost: "${f(e)}", tracking: true }}
>
  <App />
</FormoAnalyticsProvider>`},{name:`next`,label:`Next.js`,note:`${d} The provider needs the browser: keep "use client". ${u}`,text:e=>`"use client";
// app/analytics.tsx; wrap the children of app/layout.tsx with it
import { FormoAnalyticsProvider } from "@formo/analytics";
import type { ReactNode } from "react";

export function Analytics({ children }: { children: ReactNode }) {
  return (
    <FormoAnalyticsProvider
      writeKey="${e.writeKey}"
      options={{ apiHost: "${f(e)}", tracking: true }}
    >
      {children}
    </FormoAnalyticsProvider>
  );
}`},{name:`wagmi`,label:`wagmi`,note:`${d} With wagmi's config and query client the SDK sees connects, signatures and transactions. ${u}`,text:e=>`<WagmiProvider config={config}>
  <QueryClientProvider client={queryClient}>
    <FormoAnalyticsProvider
      writeKey="${e.writeKey}"
      options={{
        apiHost: "${f(e)}",
        tracking: true,
        wagmi: { config, queryClient },
      }}
    >
      <App />
    </FormoAnalyticsProvider>
  </QueryClientProvider>
</WagmiProvider>`},{name:`solana`,label:`Solana`,note:`Send what the wallet adapter tells you. The address is kept as it is spelt.`,text:e=>`wallet.on("connect", (publicKey) =>
  fetch("${f(e)}", {
    method: "POST",
    headers: { Authorization: "Bearer ${e.writeKey}", "Content-Type": "application/json" },
    body: JSON.stringify([{
      channel: "web", type: "connect", version: "1",
      anonymous_id: visitorId, address: publicKey.toBase58(),
      context: { page_url: location.href }, properties: { provider_name: wallet.name },
    }]),
  }),
);`},{name:`node`,label:`Node`,note:`A server's events carry the visitor's anonymous_id, so that revenue counts under the source of the visit.`,text:e=>`await fetch("${f(e)}", {
  method: "POST",
  headers: { Authorization: "Bearer ${e.writeKey}", "Content-Type": "application/json" },
  body: JSON.stringify([{
    channel: "server", type: "track", version: "1", event: "Swap Completed",
    anonymous_id: visitorId, properties: { revenue: 1.25, volume: 500 },
  }]),
});`},{name:`curl`,label:`curl`,note:`One event, from any terminal.`,text:e=>`curl -sS '${f(e)}' \\
  -H 'Authorization: Bearer ${e.writeKey}' \\
  -H 'Content-Type: application/json' \\
  -d '[{"channel":"web","type":"page","version":"1","anonymous_id":"me","context":{"page_url":"https://app.example/swap"}}]'`},{name:`agent`,label:`Coding agent`,note:`Paste it into your coding agent, in your app's repository.`,text:e=>`Add web3 analytics to this app with the npm package @formo/analytics.
- Initialise it once, as early as possible, with write key "${e.writeKey}"
  and the option apiHost: "${f(e)}".
- Set tracking: true, because it sends nothing on localhost otherwise.
- If the app uses wagmi, pass wagmi: { config, queryClient } in the options.
- Track completed swaps, deposits and other paid actions with
  analytics.track("<Name>", { revenue, volume }), in US dollars.
- Do not put the write key into a secret store: it is public by design.
Then open the app and check that POST requests to ${f(e)} answer 200.`}],m=t();function h({writeKey:e}){let{urls:t}=a(),[n,s]=(0,l.useState)(`html`),c=p.find(e=>e.name===n)??p[0];if(c===void 0)return null;let u=c.text({eventsUrl:t.events,writeKey:e});return(0,m.jsxs)(`div`,{className:`snippets`,children:[(0,m.jsx)(i,{label:`Kind of app`,options:p.map(e=>({value:e.name,label:e.label})),value:n,onChange:s}),(0,m.jsx)(o,{text:u}),(0,m.jsxs)(`div`,{className:`snippets-foot`,children:[(0,m.jsx)(`p`,{className:`note`,children:c.note}),(0,m.jsx)(r,{text:u,children:`Copy`})]})]})}function g({writeKey:e,onClose:t}){return(0,m.jsxs)(c,{title:`New write key`,onClose:t,wide:!0,children:[(0,m.jsx)(`p`,{children:`It may stand in your site's code. It is shown only this once.`}),(0,m.jsx)(s,{text:e}),(0,m.jsx)(h,{writeKey:e})]})}export{h as n,g as t};