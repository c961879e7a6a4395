import { createHash } from "node:crypto";
import { WALLET_SCRIPT } from "./wallet-script.ts";

/**
 * The style of hosted forms. Every pair of colours has a contrast of at least 4.5:1 for text and 3:1 for edges, in both
 * schemes. Controls are at least 44 px high with text of 16 px, because phones zoom in on smaller text.
 */
export const FORM_STYLE = `
:root { color-scheme: light dark; --back: #eef1f6; --card: #ffffff; --text: #16202c; --soft: #4d5b6b; --line: #dde3eb; --edge: #768496; --fill: #ffffff; --tint: #eef4ff; --accent: #1d56c9; --accent-strong: #16449f; --on-accent: #ffffff; --bad: #b3211a; --bad-tint: #fdf0ef; --good: #17713f; --good-tint: #e5f5ec; --shadow: 0 1px 2px rgb(20 32 48 / .06), 0 12px 32px rgb(20 32 48 / .08); }
@media (prefers-color-scheme: dark) { :root { --back: #0c1118; --card: #151c26; --text: #e8edf4; --soft: #a9b6c6; --line: #28323f; --edge: #73839a; --fill: #0f151d; --tint: #1a2942; --accent: #8fb8ff; --accent-strong: #b3cfff; --on-accent: #0a1526; --bad: #ff9d94; --bad-tint: #2c1a1b; --good: #7fd6a5; --good-tint: #14291f; --shadow: none; } }
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif; overflow-wrap: anywhere; }
.shell { max-width: 42rem; margin: 0 auto; padding: clamp(0rem, 6vw - 1.5rem, 3.5rem) clamp(0rem, 4vw - 1rem, 1.5rem) 2rem; }
main { background: var(--card); position: relative; border: 1px solid var(--line); border-radius: 16px; box-shadow: var(--shadow); padding: clamp(1.9rem, 5vw, 3.1rem) clamp(1.25rem, 5vw, 3rem) clamp(1.5rem, 5vw, 3rem); }
main::before { content: ""; position: absolute; inset: -1px; border-radius: inherit; background: linear-gradient(var(--accent), var(--accent)) top / 100% 6px no-repeat; pointer-events: none; }
@media (max-width: 30rem) { main { border-radius: 0; border-inline: 0; min-height: 92vh; } main::before { inset-inline: 0; } }
h1 { font-size: clamp(1.6rem, 1.3rem + 1.6vw, 2.15rem); line-height: 1.2; letter-spacing: -.015em; margin: 0 0 .6rem; text-wrap: balance; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 0; }
p { margin: 0; }
.lead { color: var(--soft); font-size: 1.06rem; white-space: pre-line; }
.note { color: var(--soft); font-size: .93rem; margin-top: 1rem; }
.star { color: var(--bad); font-weight: 700; }
form { display: grid; gap: 1.85rem; margin-top: 2rem; }
.section { border-top: 1px solid var(--line); padding-top: 1.6rem; margin-top: .4rem; }
form > .section:first-child { border-top: 0; padding-top: 0; margin-top: 0; }
.text { color: var(--soft); white-space: pre-line; }
.section + .text { margin-top: -1.25rem; }
.field { min-width: 0; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.label, legend { display: block; font-weight: 640; padding: 0; margin-bottom: .4rem; }
.help { color: var(--soft); font-size: .93rem; margin: -.15rem 0 .55rem; white-space: pre-line; }
input, textarea, select, button { font: inherit; color: inherit; }
.control { display: block; width: 100%; min-height: 3rem; padding: .65rem .9rem; background: var(--fill); border: 1.5px solid var(--edge); border-radius: 10px; transition: border-color .12s; }
textarea.control { min-height: 8rem; resize: vertical; }
.mono { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: max(16px, .95rem); }
select.control { appearance: none; padding-right: 2.8rem; background-image: linear-gradient(45deg, transparent 50%, currentColor 50%), linear-gradient(-45deg, transparent 50%, currentColor 50%); background-position: right 1.35rem center, right 1rem center; background-size: .36rem .36rem; background-repeat: no-repeat; }
.short { max-width: 15rem; }
.control:hover, .choice:hover { border-color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
input[type=file].control { padding: .5rem .6rem; }
input[type=file]::file-selector-button { font: inherit; font-weight: 600; color: var(--accent); background: var(--tint); border: 0; border-radius: 7px; padding: .4rem .9rem; margin-right: .8rem; cursor: pointer; }
.choices { display: grid; gap: .55rem; }
.choice { display: flex; gap: .75rem; align-items: flex-start; min-height: 3rem; padding: .7rem .95rem; background: var(--fill); border: 1.5px solid var(--edge); border-radius: 10px; cursor: pointer; transition: border-color .12s, background-color .12s; }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; margin: .15rem 0 0; accent-color: var(--accent); cursor: pointer; }
.choice:has(input:checked) { border-color: var(--accent); background: var(--tint); box-shadow: inset 0 0 0 .5px var(--accent); }
.choice:has(input:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.choice input:focus-visible { outline: none; }
.rating { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: .5rem; max-width: 24rem; }
.rate { position: relative; display: grid; justify-items: center; gap: .1rem; padding: .5rem .2rem .45rem; background: var(--fill); border: 1.5px solid var(--edge); border-radius: 10px; cursor: pointer; }
.rate:hover { border-color: var(--accent); }
.rate input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
.rate svg { width: 1.6rem; height: 1.6rem; fill: none; stroke: var(--edge); stroke-width: 1.6; stroke-linejoin: round; }
.rate:has(input:checked) svg, .rate:has(~ .rate input:checked) svg { fill: var(--accent); stroke: var(--accent); }
.rate:has(input:checked) { border-color: var(--accent); background: var(--tint); }
.rate:has(input:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.ends { display: flex; justify-content: space-between; max-width: 24rem; color: var(--soft); font-size: .88rem; margin-top: .35rem; }
.bad .control, .bad .choice, .bad .rate { border-color: var(--bad); }
.error { display: flex; gap: .5rem; color: var(--bad); font-weight: 600; margin-top: .5rem; }
.error::before { content: "!"; flex: none; display: grid; place-items: center; width: 1.25rem; height: 1.25rem; margin-top: .15rem; border-radius: 50%; background: var(--bad); color: var(--card); font-size: .85rem; line-height: 1; font-weight: 800; }
.summary { margin-top: 1.6rem; padding: 1.1rem 1.25rem; border: 1.5px solid var(--bad); border-radius: 12px; background: var(--bad-tint); }
.summary h2 { font-size: 1.1rem; color: var(--bad); }
.summary ul { margin: .5rem 0 0; padding-left: 1.2rem; }
.summary li { margin: .2rem 0; }
.summary a { color: var(--bad); }
.send { justify-self: start; min-height: 3.1rem; padding: .7rem 2.4rem; border: 0; border-radius: 10px; background: var(--accent); color: var(--on-accent); font-weight: 650; font-size: 1.06rem; cursor: pointer; transition: background-color .12s; }
.send:hover { background: var(--accent-strong); }
@media (max-width: 30rem) { .send { justify-self: stretch; } }
.wallets { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: .6rem; }
.wallets:empty { display: none; }
.connect { min-height: 2.75rem; padding: .5rem 1.1rem; border: 1.5px solid var(--accent); border-radius: 10px; background: none; color: var(--accent); font-weight: 600; cursor: pointer; }
.connect:disabled { opacity: .6; cursor: default; }
.proof .help { margin: .5rem 0 0; }
.aside { position: absolute; left: -10000px; width: 1px; height: 1px; overflow: hidden; }
.quiet { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.done { text-align: center; padding-block: clamp(1rem, 6vw, 3rem); }
.done .lead { max-width: 30rem; margin-inline: auto; text-wrap: balance; }
.badge { display: inline-grid; place-items: center; width: 4.5rem; height: 4.5rem; margin-bottom: 1.2rem; border-radius: 50%; background: var(--good-tint); }
.badge svg { width: 2.2rem; height: 2.2rem; fill: none; stroke: var(--good); stroke-width: 2.6; stroke-linecap: round; stroke-linejoin: round; }
.badge.plain { background: var(--tint); } .badge.plain svg { stroke: var(--accent); }
.again { display: inline-block; margin-top: 1.6rem; padding: .6rem .4rem; color: var(--accent); font-weight: 600; }
footer { text-align: center; color: var(--soft); font-size: .88rem; margin-top: 1.4rem; padding: 0 1rem; }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media (forced-colors: active) { .choice:has(input:checked), .rate:has(input:checked) { outline: 3px solid Highlight; } .rate:has(input:checked) svg, .rate:has(~ .rate input:checked) svg { fill: Highlight; } }
`;

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * Only the style block (by its hash), the inline icon and posts to this server are allowed; nothing else may load or
 * run.
 */
export const FORM_HEADERS = {
  "Content-Security-Policy": `default-src 'none'; style-src ${hashOf(FORM_STYLE)}; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  // A page contains its own token: a cached copy would send one that was used.
  "Cache-Control": "no-store",
} as const;

/** A page that asks for a signature may also run its own script, which asks this server for the message. */
export const SIGNING_HEADERS = {
  ...FORM_HEADERS,
  "Content-Security-Policy": `${FORM_HEADERS["Content-Security-Policy"]}; script-src ${hashOf(WALLET_SCRIPT)}; connect-src 'self'`,
} as const;

export const SCRIPT_TAG = `<script>${WALLET_SCRIPT}</script>`;
const SIGNING_END = `${SCRIPT_TAG}\n</body>\n</html>\n`;

export function headersOf(page: string): typeof FORM_HEADERS | typeof SIGNING_HEADERS {
  return page.endsWith(SIGNING_END) ? SIGNING_HEADERS : FORM_HEADERS;
}
