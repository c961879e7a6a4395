/** Pages are plain HTML with one style block: no script, no font, no request to another host. */
import { type Html, html } from "../lib/html.ts";

const STYLE = `
:root { color-scheme: light dark; --text: #1b2430; --soft: #55616f; --line: #d9dfe6; --back: #ffffff; --panel: #f4f6f9; --accent: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e9ef; --soft: #a3afbc; --line: #323b46; --back: #12171d; --panel: #1b222a; --accent: #7db7f0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main, header nav { max-width: 60rem; margin: 0 auto; padding: 0 1.25rem; }
header { border-bottom: 1px solid var(--line); background: var(--panel); }
header nav { display: flex; gap: 1.25rem; align-items: baseline; padding-block: .8rem; flex-wrap: wrap; }
header strong { font-size: 1.1rem; margin-right: auto; }
a { color: var(--accent); }
h1 { font-size: 1.7rem; margin: 1.6rem 0 .4rem; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; padding-top: .4rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 0; }
p, ul, ol { margin: .5rem 0; }
code, pre { font: .88em/1.5 ui-monospace, monospace; }
code { background: var(--panel); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; overflow-x: auto; }
pre code { padding: 0; background: none; }
article { border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.2rem; margin: 1rem 0; }
article header { background: none; border: 0; display: flex; gap: .7rem; align-items: baseline; flex-wrap: wrap; }
.method { font: 700 .8rem ui-monospace, monospace; color: var(--accent); border: 1px solid currentColor; border-radius: 4px; padding: .1em .45em; }
.soft { color: var(--soft); }
table { border-collapse: collapse; width: 100%; font-size: .93rem; margin: .5rem 0; }
.scroll { overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
summary { cursor: pointer; color: var(--accent); }
`;

export function page(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Sextant</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<header><nav aria-label="Documentation"><strong>Sextant</strong><a href="/docs/guides">Guides</a><a href="/docs">API</a><a href="/docs/errors">Errors</a><a href="/openapi.json">OpenAPI</a></nav></header>
<main>${body}</main>
</body>
</html>
`.html;
}

/** Renders `code` in our own sentences. */
export function withCode(text: string): Html {
  const parts = text.split("`").map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
  return html`${parts}`;
}
