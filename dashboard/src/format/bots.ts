/** Why the sender of an event is taken for a bot, told from the name that it gives itself. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/headless|phantomjs|puppeteer|playwright|selenium|electron/, "A browser that a program drives"],
  [/bot$|crawler|spider|slurp|facebookexternalhit|externalhit|preview|archiver/, "A crawler that names itself"],
  [
    /^(curl|wget|python|go-http|java|okhttp|axios|node|undici|ruby|perl|php|libwww|apache|postman|insomnia)/,
    "A script",
  ],
];
const BROWSERS = /^(chrome|chromium|firefox|safari|edge|opera|)$/;

export function botKind(name: string): string {
  const found = KINDS.find(([pattern]) => pattern.test(name));
  if (found) return found[1];
  return BROWSERS.test(name) ? "Its user agent is on the list of known bots" : "Its user agent is no browser's";
}
