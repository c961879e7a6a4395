/** The invented exchange of the demo: who comes to it, from where, and with what. Weights are relative. */

export const SITE = "https://app.tidepool.example";
export const SEED = 20_261;
/** So that 28 days have 28 days before them to compare with, and visitors can be back after 30 and 90 days. */
export const DAYS = 100;
/** First visits over all days; a third of the visitors come back, some often. About 25,000 events in all. */
export const VISITORS = 3_000;

interface Weighted {
  readonly weight: number;
}

export interface Source extends Weighted {
  readonly referrer: string;
  readonly query?: string;
  /** Days of the demo on which a campaign runs, counted from its first day. */
  readonly from?: number;
  readonly to?: number;
}

export const SOURCES: readonly Source[] = [
  { weight: 30, referrer: "" },
  { weight: 17, referrer: "https://www.google.com/" },
  { weight: 12, referrer: "https://t.co/9sWq2" },
  { weight: 7, referrer: "https://farcaster.xyz/" },
  { weight: 6, referrer: "", query: "utm_source=chatgpt.com" },
  { weight: 5, referrer: "https://www.reddit.com/r/defi/" },
  { weight: 4, referrer: "https://www.youtube.com/" },
  { weight: 4, referrer: "https://docs.tidepool.example/" },
  { weight: 4, referrer: "https://blog.layerzone.example/best-exchanges" },
  { weight: 4, referrer: "", query: "ref=harbor" },
  { weight: 3, referrer: "https://duckduckgo.com/" },
  {
    weight: 3,
    referrer: "https://mail.proton.me/",
    query: "utm_source=newsletter&utm_medium=email&utm_campaign=weekly-tide",
  },
  {
    weight: 22,
    referrer: "https://www.google.com/",
    query: "utm_source=google&utm_medium=cpc&utm_campaign=deep-liquidity&gclid=Cj0demo",
    from: 78,
    to: 85,
  },
  {
    weight: 18,
    referrer: "https://x.com/",
    query: "utm_source=x&utm_medium=social&utm_campaign=base-week&utm_content=thread",
    from: 89,
    to: 95,
  },
  {
    weight: 14,
    referrer: "https://farcaster.xyz/",
    query: "utm_source=farcaster&utm_medium=social&utm_campaign=first-tide",
    from: 36,
    to: 43,
  },
];

/**
 * How readily those come back who came first in a week, by the week of the demo: people of a campaign less, those of
 * the weeks after limit orders (the seventh) more. Each row of the retention table has a story.
 */
export const COHORTS: readonly number[] = [
  0.7, 0.75, 0.7, 0.8, 0.75, 0.45, 0.8, 1.35, 1.4, 1.3, 1.25, 0.6, 0.9, 1.2, 1,
];

export interface Device extends Weighted {
  readonly userAgent: string;
}

export const DEVICES: readonly Device[] = [
  {
    weight: 34,
    userAgent:
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  },
  {
    weight: 24,
    userAgent:
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  },
  {
    weight: 14,
    userAgent:
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
  },
  {
    weight: 12,
    userAgent:
      "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
  },
  {
    weight: 8,
    userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
  },
  {
    weight: 8,
    userAgent:
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
  },
];

export const BOT_AGENT = "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)";

export const PLACES: readonly (Weighted & { readonly location: string; readonly locale: string })[] = [
  { weight: 22, location: "US", locale: "en-US" },
  { weight: 9, location: "DE", locale: "de-DE" },
  { weight: 9, location: "GB", locale: "en-GB" },
  { weight: 8, location: "VN", locale: "vi-VN" },
  { weight: 8, location: "IN", locale: "en-IN" },
  { weight: 7, location: "SG", locale: "en-SG" },
  { weight: 6, location: "FR", locale: "fr-FR" },
  { weight: 6, location: "BR", locale: "pt-BR" },
  { weight: 5, location: "KR", locale: "ko-KR" },
  { weight: 5, location: "TR", locale: "tr-TR" },
  { weight: 4, location: "NG", locale: "en-NG" },
  { weight: 4, location: "JP", locale: "ja-JP" },
  { weight: 3, location: "AE", locale: "ar-AE" },
  { weight: 2, location: "AR", locale: "es-AR" },
  { weight: 2, location: "MT", locale: "en-MT" },
];

export const CHAINS: readonly (Weighted & { readonly id: number })[] = [
  { weight: 44, id: 8453 },
  { weight: 27, id: 1 },
  { weight: 19, id: 42161 },
  { weight: 10, id: 137 },
];

export const WALLETS: readonly (Weighted & { readonly rdns: string; readonly name: string })[] = [
  { weight: 46, rdns: "io.metamask", name: "MetaMask" },
  { weight: 18, rdns: "com.coinbase.wallet", name: "Coinbase Wallet" },
  { weight: 16, rdns: "io.rabby", name: "Rabby Wallet" },
  { weight: 11, rdns: "me.rainbow", name: "Rainbow" },
  { weight: 9, rdns: "app.phantom", name: "Phantom" },
];

export const PAGES: readonly (Weighted & { readonly path: string; readonly title: string })[] = [
  { weight: 40, path: "/swap", title: "Swap" },
  { weight: 18, path: "/pools", title: "Pools" },
  { weight: 11, path: "/pools/eth-usdc", title: "ETH / USDC" },
  { weight: 9, path: "/bridge", title: "Bridge" },
  { weight: 8, path: "/portfolio", title: "Portfolio" },
  { weight: 7, path: "/stake", title: "Stake" },
  { weight: 4, path: "/learn/impermanent-loss", title: "Impermanent loss" },
  { weight: 3, path: "/vote", title: "Vote" },
];

export const BUILDER_CODES: readonly (Weighted & { readonly code: string })[] = [
  { weight: 60, code: "" },
  { weight: 22, code: "tidepool" },
  { weight: 12, code: "harbor,tidepool" },
  { weight: 6, code: "lagoon" },
];

/** Visits by hour of the day, UTC: Europe's afternoon and America's morning are the busiest. */
export const HOURS: readonly number[] = [3, 3, 2, 2, 2, 3, 4, 5, 7, 8, 8, 8, 9, 11, 13, 13, 12, 11, 10, 9, 7, 6, 5, 4];
/** From Sunday. */
export const WEEKDAYS: readonly number[] = [0.72, 1.05, 1.12, 1.1, 1.08, 1, 0.75];

/** Days and hours are counted from the beginning of the demo. */
export const BOT_WAVE = { day: 81, visits: 420 } as const;
export const OUTAGE = { day: 90, fromHour: 13, toHour: 17 } as const;
export const NOTES: readonly { readonly day: number; readonly note: string }[] = [
  { day: 49, note: "Limit orders are live" },
  { day: 78, note: "Campaign deep-liquidity begins" },
  { day: OUTAGE.day, note: "Outage from 13:00 to 17:00" },
];
