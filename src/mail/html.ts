/**
 * HTML that mail clients draw: tables and inline styles, because many drop style blocks, and Outlook draws with Word. A
 * style block adds dark colours and small screens where it is read. No image, no font, no script, no other host.
 */
import { type Html, html } from "../lib/html.ts";

/** Light colours; the style block below has the dark ones, by the names of the classes. Each pair has 4.5:1 and more. */
export const COLOURS = {
  text: "#1b2430",
  soft: "#55616f",
  line: "#d9dfe6",
  back: "#eef1f5",
  card: "#ffffff",
  accent: "#0b5cad",
  bar: "#4f8fd0",
  good: "#13693a",
  bad: "#a8261c",
} as const;

const DARK = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .back { background-color: #12171d !important; }
  .card { background-color: #1b222a !important; border-color: #323b46 !important; }
  .text { color: #e4e9ef !important; }
  .soft { color: #a3afbc !important; }
  .line { border-color: #323b46 !important; }
  .link { color: #7db7f0 !important; }
  .bar { background-color: #5c9ee0 !important; }
  .good { color: #6fcf97 !important; }
  .bad { color: #ff9b90 !important; }
  .button { background-color: #7db7f0 !important; }
  .button a { color: #10161d !important; }
}
@media (max-width: 480px) {
  .card { padding: 20px 14px !important; }
  .outer { padding: 8px !important; }
}`;

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** A whole mail: one card of at most 600 pixels, and a foot below it. `preview` is what lists of mails show. */
export function mailPage({
  title,
  preview,
  body,
  foot,
}: {
  title: string;
  preview: string;
  body: Html;
  foot: Html;
}): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>${{ html: DARK }}</style>
</head>
<body class="back" style="margin:0;padding:0;background-color:${COLOURS.back}">
<div style="display:none;max-height:0;overflow:hidden">${preview}</div>
<table role="presentation" class="back" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:${COLOURS.back}"><tr><td class="outer" align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px">
<tr><td class="card text" style="background-color:${COLOURS.card};border:1px solid ${COLOURS.line};border-radius:8px;padding:28px;color:${COLOURS.text};${{ html: FONT }};font-size:15px;line-height:1.5">
${body}
</td></tr>
<tr><td class="soft" style="padding:16px 8px;color:${COLOURS.soft};${{ html: FONT }};font-size:13px;line-height:1.5">
${foot}
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`.html;
}

/** A link that looks like a button. */
export function button(url: string, text: string): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0 0"><tr><td class="button" style="border-radius:6px;background-color:${COLOURS.accent}"><a href="${url}" style="display:inline-block;padding:10px 18px;color:#ffffff;font-weight:600;text-decoration:none">${text}</a></td></tr></table>`;
}

export function link(url: string, text: string): Html {
  return html`<a class="link" href="${url}" style="color:${COLOURS.accent}">${text}</a>`;
}
