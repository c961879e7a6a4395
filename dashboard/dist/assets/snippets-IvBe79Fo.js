import{n as e}from"./rolldown-runtime-WkwZ5CU-.js";import{C as t,T as n,g as r,v as i,w as a}from"./packages-BVeusNVQ.js";import{F as o,G as s,K as c,Mt as l,X as u,h as d,q as f,rt as p,sn as m}from"./parts-IOZyFQsk.js";import{o as h,r as g}from"./index-CMiOeL9x.js";var _=e(n(),1),v=a();function y({title:e,about:t,action:n,children:r}){return(0,v.jsxs)(`section`,{className:`panel settings-section`,"aria-label":e,children:[(0,v.jsxs)(`header`,{className:`settings-head`,children:[(0,v.jsxs)(`div`,{children:[(0,v.jsx)(`h2`,{children:e}),(0,v.jsx)(`p`,{className:`note`,children:t})]}),n]}),r]})}function b(e,t=!0){let{workspace:n}=l();return i({queryKey:[`settings`,n.id,e],queryFn:({signal:t})=>d({path:e,signal:t}),enabled:t})}function x(e,n){let i=t();return r({mutationFn:t=>d(e(t)),onSuccess:async e=>{n?.(e),await Promise.all([i.invalidateQueries({queryKey:[`settings`]}),i.invalidateQueries({queryKey:[`account`]})])}})}function S({list:e,empty:t,columns:n,row:r}){return e.error?(0,v.jsx)(c,{failure:e.error,onRetry:()=>void e.refetch()}):e.isPending?(0,v.jsx)(f,{rows:3}):e.data.length===0?(0,v.jsx)(s,{title:t}):(0,v.jsx)(`section`,{className:`table-scroll`,"aria-label":`${n[0]??``} list`,tabIndex:0,children:(0,v.jsxs)(`table`,{className:`table row-table`,children:[(0,v.jsx)(`thead`,{children:(0,v.jsx)(`tr`,{children:n.map(e=>(0,v.jsx)(`th`,{scope:`col`,children:e===``?(0,v.jsx)(`span`,{className:`hidden`,children:`Actions`}):e},e))})}),(0,v.jsx)(`tbody`,{children:e.data.map(e=>{let{key:t,cells:i}=r(e);return(0,v.jsx)(`tr`,{children:n.map((e,t)=>(0,v.jsx)(`td`,{"data-label":e,className:e===``?`row-actions`:void 0,children:i[t]},e))},t)})})]})})}function C({title:e,submit:t,pending:n,failure:r,onSubmit:i,onClose:a,children:o}){return(0,v.jsx)(p,{title:e,onClose:a,children:(0,v.jsxs)(`form`,{className:`stack`,onSubmit:e=>i(h(e),e),children:[o,(0,v.jsx)(g,{failure:r}),(0,v.jsx)(`div`,{className:`dialog-actions`,children:(0,v.jsx)(`button`,{type:`submit`,className:`button primary`,disabled:n,children:t})})]})})}function w({label:e,title:t,about:n,confirm:r,pending:i,failure:a,onConfirm:o}){let[s,c]=(0,_.useState)(!1);return(0,v.jsxs)(v.Fragment,{children:[(0,v.jsx)(`button`,{type:`button`,className:`button small danger`,onClick:()=>c(!0),children:e}),s?(0,v.jsxs)(p,{title:t,onClose:()=>c(!1),children:[(0,v.jsx)(`p`,{children:n}),(0,v.jsx)(g,{failure:a}),(0,v.jsxs)(`div`,{className:`dialog-actions`,children:[(0,v.jsx)(`button`,{type:`button`,className:`button`,onClick:()=>c(!1),children:`Keep it`}),(0,v.jsx)(`button`,{type:`button`,className:`button danger`,disabled:i,onClick:o,children:r})]})]}):null]})}function T({title:e,about:t,text:n,onClose:r}){return(0,v.jsxs)(p,{title:e,onClose:r,children:[(0,v.jsx)(`p`,{children:t}),(0,v.jsx)(`pre`,{className:`code`,children:n}),(0,v.jsx)(`div`,{className:`dialog-actions`,children:(0,v.jsx)(u,{text:n,children:`Copy`})})]})}function E({at:e,never:t=`never`}){return e===null?(0,v.jsx)(`span`,{className:`note`,children:t}):(0,v.jsx)(`time`,{className:`nowrap`,dateTime:e,children:m(Date.parse(e))})}var D=`On localhost the SDK sends nothing unless tracking is true. Leave that option out on a public site if you like.`,O=`Install the SDK first: npm install @formo/analytics.`,k=({eventsUrl:e})=>`${e}/v0/raw_events`,A=[{name:`html`,label:`HTML`,note:`One line in the <head> of every page: it counts pages, wallets, signatures and transactions, without cookies. Your own events: sextant.track("Swap Completed", { revenue: 1.25, volume: 500 }).`,text:e=>`<script defer src="${e.eventsUrl}/script.js" data-key="${e.writeKey}"><\/script>`},{name:`react`,label:`React`,note:`${O} ${D}`,text:e=>`import { FormoAnalyticsProvider } from "@formo/analytics";

<FormoAnalyticsProvider
  writeKey="${e.writeKey}"
  options={{ apiHost: "${k(e)}", tracking: true }}
>
  <App />
</FormoAnalyticsProvider>`},{name:`next`,label:`Next.js`,note:`${O} The provider needs the browser: keep "use client". ${D}`,text:e=>`"use client";
// app/analytics.tsx; wrap the children of app/layout.tsx with it
import { FormoAnalyticsProvider } from "@formo/analytics";
import type { ReactNode } from "react";

export function Analytics({ children }: { children: ReactNode }) {
  return (
    <FormoAnalyticsProvider
      writeKey="${e.writeKey}"
      options={{ apiHost: "${k(e)}", tracking: true }}
    >
      {children}
    </FormoAnalyticsProvider>
  );
}`},{name:`wagmi`,label:`wagmi`,note:`${O} With wagmi's config and query client the SDK sees connects, signatures and transactions. ${D}`,text:e=>`<WagmiProvider config={config}>
  <QueryClientProvider client={queryClient}>
    <FormoAnalyticsProvider
      writeKey="${e.writeKey}"
      options={{
        apiHost: "${k(e)}",
        tracking: true,
        wagmi: { config, queryClient },
      }}
    >
      <App />
    </FormoAnalyticsProvider>
  </QueryClientProvider>
</WagmiProvider>`},{name:`solana`,label:`Solana`,note:`Send what the wallet adapter tells you. The address is kept as it is spelt.`,text:e=>`wallet.on("connect", (publicKey) =>
  fetch("${k(e)}", {
    method: "POST",
    headers: { Authorization: "Bearer ${e.writeKey}", "Content-Type": "application/json" },
    body: JSON.stringify([{
      channel: "web", type: "connect", version: "1",
      anonymous_id: visitorId, address: publicKey.toBase58(),
      context: { page_url: location.href }, properties: { provider_name: wallet.name },
    }]),
  }),
);`},{name:`node`,label:`Node`,note:`A server's events carry the visitor's anonymous_id, so that revenue counts under the source of the visit.`,text:e=>`await fetch("${k(e)}", {
  method: "POST",
  headers: { Authorization: "Bearer ${e.writeKey}", "Content-Type": "application/json" },
  body: JSON.stringify([{
    channel: "server", type: "track", version: "1", event: "Swap Completed",
    anonymous_id: visitorId, properties: { revenue: 1.25, volume: 500 },
  }]),
});`},{name:`curl`,label:`curl`,note:`One event, from any terminal.`,text:e=>`curl -sS '${k(e)}' \\
  -H 'Authorization: Bearer ${e.writeKey}' \\
  -H 'Content-Type: application/json' \\
  -d '[{"channel":"web","type":"page","version":"1","anonymous_id":"me","context":{"page_url":"https://app.example/swap"}}]'`},{name:`agent`,label:`Coding agent`,note:`Paste it into your coding agent, in your app's repository.`,text:e=>`Add web3 analytics to this app with the npm package @formo/analytics.
- Initialise it once, as early as possible, with write key "${e.writeKey}"
  and the option apiHost: "${k(e)}".
- Set tracking: true, because it sends nothing on localhost otherwise.
- If the app uses wagmi, pass wagmi: { config, queryClient } in the options.
- Track completed swaps, deposits and other paid actions with
  analytics.track("<Name>", { revenue, volume }), in US dollars.
- Do not put the write key into a secret store: it is public by design.
Then open the app and check that POST requests to ${k(e)} answer 200.`}];function j({writeKey:e}){let{urls:t}=l(),[n,r]=(0,_.useState)(`html`),i=A.find(e=>e.name===n)??A[0];if(i===void 0)return null;let a=i.text({eventsUrl:t.events,writeKey:e});return(0,v.jsxs)(`div`,{className:`snippets`,children:[(0,v.jsx)(o,{label:`Kind of app`,options:A.map(e=>({value:e.name,label:e.label})),value:n,onChange:r}),(0,v.jsx)(`pre`,{className:`code`,tabIndex:0,children:a}),(0,v.jsxs)(`div`,{className:`snippets-foot`,children:[(0,v.jsx)(`p`,{className:`note`,children:i.note}),(0,v.jsx)(u,{text:a,children:`Copy`})]})]})}function M({writeKey:e,onClose:t}){return(0,v.jsxs)(p,{title:`New write key`,onClose:t,wide:!0,children:[(0,v.jsx)(`p`,{children:`It may stand in your site's code. It is shown only this once.`}),(0,v.jsx)(`pre`,{className:`code`,children:e}),(0,v.jsx)(j,{writeKey:e})]})}export{S as a,E as c,C as i,b as l,j as n,T as o,w as r,y as s,M as t,x as u};