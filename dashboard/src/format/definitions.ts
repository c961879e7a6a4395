/** "How is this counted?", in short: docs/metrics-definitions.md is the full text, and must say the same. */
interface Definition {
  title: string;
  text: readonly string[];
}

export const DEFINITIONS = {
  bots: {
    title: "Bots",
    text: [
      "A bot is a crawler that names itself, a browser that a program drives, or, on the web, anything whose user agent is not a browser's.",
      "Their events are stored. A new project leaves their sessions out of all reports, by the first touch of the session; the settings of the project decide, and a page can show the other view.",
    ],
  },
  visitors: {
    title: "Visitors",
    text: [
      "A visitor is a browser or device: its anonymous id, or the user id or wallet address where there is none.",
      "A visitor counts once in the period shown, and once in each hour, day, week or month of a chart, so the points of a chart add up to more than the total.",
    ],
  },
  sessions: {
    title: "Sessions",
    text: [
      "A session is the session id that the app sends; without one, all events of one visitor on one UTC day. Midnight of the time zone ends it, too.",
      "A session that crosses midnight counts on both days, so the sessions of days add up to the total.",
    ],
  },
  pageviews: { title: "Page views", text: ["Events of the type page."] },
  wallets: {
    title: "Wallets",
    text: ["Different wallet addresses among the events of the period. A wallet counts once, on however many chains."],
  },
  transactions: {
    title: "Transactions",
    text: ["Transactions that the wallet has sent to the network, each counted once however many events it has."],
  },
  volume: {
    title: "Volume",
    text: [
      "The sum of properties.volume of all events. Its unit is the one that your app sends: amounts are never converted, and shown in the unit that the settings of the project name. A value that is no number, or is above a billion, counts as 0.",
    ],
  },
  revenue: {
    title: "Revenue",
    text: [
      "The sum of properties.revenue of all events; refunds are negative. Its unit is the one that your app sends: amounts are never converted, and shown in the unit that the settings of the project name.",
      "Revenue without a source of its own, for example a purchase that a server reports, counts under the source of the visitor's session on that day.",
    ],
  },
  bounce_rate: {
    title: "Bounce rate",
    text: [
      "The share of sessions that ended where they began: at most one page view, no wallet connection, transaction or custom event, and less than ten seconds.",
    ],
  },
  avg_session_sec: {
    title: "Duration",
    text: ["The average time from the first to the last event of a session. A session with one event lasts 0 seconds."],
  },
  sources: {
    title: "Sources",
    text: [
      "Each session counts once, under its first touch: its earliest event that has a page, a referrer, a UTM tag or a click id. A later referrer in the same session changes nothing.",
      "A channel is a kind of source. Referrals are sessions with a ref code or with utm_medium affiliate or referral; Referrers are those that came by a plain link on another site. The tab Referrers lists the sites themselves.",
      "A visitor with sessions from two sources counts once under each, so the rows can add up to more than all visitors.",
    ],
  },
  pages: {
    title: "Pages",
    text: [
      "Views of a page, and the sessions and visitors with at least one view of it. Entry pages are the first of a session, exit pages the last.",
    ],
  },
  chains: {
    title: "Chains and wallets",
    text: [
      "Sessions and visitors with an event on the chain, or with the wallet software. One that used two chains counts under both.",
    ],
  },
  places: {
    title: "Places",
    text: [
      "The country that a trusted proxy reports, otherwise the one the browser reports, otherwise the country of its time zone. Addresses of the network are neither used nor stored.",
    ],
  },
  devices: {
    title: "Devices",
    text: ["From the user agent of the session's first event. In-app browsers of wallets have names of their own."],
  },
  events: {
    title: "Events",
    text: ["All events by their type; custom events by their name. Copies of one message count once."],
  },
  funnel: {
    title: "Funnel",
    text: [
      "Visitors who reached each step after the steps before it, within the time window. The time is the median from the previous step.",
    ],
  },
  funnel_groups: {
    title: "Groups of a funnel",
    text: [
      "A visitor counts once, under the value of the visit in which the first step of the funnel was done, however many visits there were. So the groups add up to the funnel.",
      "The lists of the overview count every visit: a visitor who came by a search and later directly is in both rows there, and in one of them here. Visitors who did not do the first step are in the overview alone.",
    ],
  },
  retention: {
    title: "Retention",
    text: [
      "New visitors or wallets by the day, week or month in which they were first seen, and the share of them that was active so many days, weeks or months later, or after that. Weeks begin on Monday.",
      "A week that is not over is shown with a frame, and is not part of the curve. The curve weighs cohorts by their users, and ends where fewer than two have reached its point: one cohort alone is another crowd.",
    ],
  },
  hours: {
    title: "Hours of the week",
    text: ["Sessions by the hour of their first event, summed over the weeks of the period."],
  },
  movers: {
    title: "What moved it",
    text: [
      "The difference of each value between the whole days of the period and those of the comparison, the largest up and down. Where they add up, a share of the change of the headline stands beside them.",
      "A session has one channel, campaign, country and device, so the differences of sessions, page views, transactions, volume and revenue add up to the change.",
      "A visitor or a wallet with sessions from two channels counts under both, now and before: their differences need not add up.",
    ],
  },
  breakdown: {
    title: "Wallets, conversion and money of a row",
    text: [
      "Sources, places, devices, entry and exit pages: everything in the sessions of that row. Pages, chains, builder codes and events: the events with that value. Wallet apps: everything in a visitor's sessions with that app.",
      "Wallets are different wallet addresses among these events. Transacting wallets are those of them with a transaction that was sent to the network.",
      "Conversion is transacting wallets / visitors. It exceeds 100% where visitors transact with several wallets. Revenue per wallet is revenue / wallets.",
    ],
  },
  ingest: {
    title: "What happened to every event",
    text: [
      "Every event that arrives is counted in a ledger: received = stored + duplicate + parked + refused.",
      "Stored events are in reports. A duplicate has the message id of an event that is already stored. Parked events are kept aside with a reason and can be replayed. Refused events were answered with an error.",
      "The lag is the time from accepting an event to its being in reports.",
    ],
  },
  live: {
    title: "Live",
    text: [
      "Online now are sessions with a page view in the last ten minutes. The other numbers are of the last 30 minutes, by the time of the events.",
      "The lists count the visitors with an event on that page, from that source, in that country or on that chain. One that viewed two pages counts under both.",
    ],
  },
  flow: {
    title: "Flows",
    text: [
      "What visitors did next after the first step, within the time window, step by step. Small branches are left out.",
      "Those who left did nothing more in their session, within the time window. With an end, only visits that reach it are shown, up to it.",
    ],
  },
} as const satisfies Record<string, Definition>;

export type DefinitionName = keyof typeof DEFINITIONS;
