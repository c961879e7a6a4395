/** A report as the HTML of a mail. The trend is bars made of table cells, which every client draws. */
import { type Html, html } from "../lib/html.ts";
import { button, COLOURS, link, mailPage } from "../mail/html.ts";
import type { Content, Figure, Part } from "./content.ts";
import { beforeText, changeOf, importedText, lateText, numberText, periodText, pointName, subjectOf } from "./texts.ts";

export interface Links {
  /** The page of the report. */
  readonly report: string;
  /** Undefined where it is only shown, and not sent. */
  readonly unsubscribe?: string | undefined;
}

const CHART_PX = 72;

export function renderHtml(content: Content, links: Links): string {
  const { project, boardId, title } = content;
  const notes = [lateText(content), importedText(content)].filter((note) => note !== undefined);
  const body = html`<h1 class="text" style="margin:0;font-size:22px;line-height:1.3;color:${COLOURS.text}">${title}</h1>
<p class="soft" style="margin:4px 0 0;color:${COLOURS.soft}">${boardId !== null && `${project.name} · `}${periodText(content)}</p>
${notes.map((note) => html`<p class="soft" style="margin:8px 0 0;color:${COLOURS.soft}">${note}</p>`)}
${content.parts.map((part) => renderPart(content, part))}
${button(links.report, boardId === null ? "Open the dashboard" : "Open the board")}`;
  return mailPage({ title: subjectOf(content), preview: previewOf(content), body, foot: footOf(content, links) });
}

/** The first figures, for the list of mails. */
function previewOf({ parts, moneyUnit }: Content): string {
  const figures = parts.flatMap((part) => (part.kind === "figures" ? part.figures : [])).slice(0, 3);
  return figures.map(({ label, value, format }) => `${label} ${numberText(value, format, moneyUnit)}`).join(" · ");
}

function footOf(content: Content, { unsubscribe }: Links): Html {
  return html`Changes are against ${beforeText(content)}. Days are in ${content.timezone}.${
    unsubscribe !== undefined &&
    html`<br>You get this mail because your address was added to this report and you confirmed it. ${link(unsubscribe, "Unsubscribe")}`
  }`;
}

function renderPart(content: Content, part: Part): Html {
  switch (part.kind) {
    case "figures":
      return renderFigures(content, part.figures);
    case "series":
      return html`${heading(part.title)}${renderBars(content, part)}`;
    case "list":
      return html`${heading(part.title)}${renderList(content, part)}`;
    case "note":
      return html`${heading(part.title)}<p class="soft" style="margin:6px 0 0;color:${COLOURS.soft}">${part.text}</p>`;
  }
}

function heading(text: string): Html {
  return html`<h2 class="text" style="margin:28px 0 0;font-size:16px;line-height:1.3;color:${COLOURS.text}">${text}</h2>`;
}

/** Rows of a name, a number and its change: they fit a phone, where columns of cards do not. */
function renderFigures({ moneyUnit }: Content, figures: readonly Figure[]): Html {
  const cell = { html: `padding:8px 0;border-bottom:1px solid ${COLOURS.line}` };
  return html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:20px 0 0;border-collapse:collapse">
<tr><th class="soft line" scope="col" align="left" style="${cell};font-size:13px;font-weight:400;color:${COLOURS.soft}">Figure</th><th class="soft line" scope="col" align="right" style="${cell};font-size:13px;font-weight:400;color:${COLOURS.soft}">Value</th><th class="soft line" scope="col" align="right" style="${cell};font-size:13px;font-weight:400;color:${COLOURS.soft}">Change</th></tr>
${figures.map((figure) => {
  const { text, mood } = changeOf(figure);
  const colour = mood === "neutral" ? COLOURS.soft : COLOURS[mood];
  return html`<tr><th class="text line" scope="row" align="left" style="${cell};font-weight:400;color:${COLOURS.text}">${figure.label}</th><td class="text line" align="right" style="${cell};font-size:18px;font-weight:600;white-space:nowrap;color:${COLOURS.text}">${numberText(figure.value, figure.format, moneyUnit)}</td><td class="${mood === "neutral" ? "soft" : mood} line" align="right" width="96" style="${cell};font-size:13px;white-space:nowrap;color:${colour}">${text}</td></tr>
`;
})}</table>`;
}

/** One cell a bucket, each with a coloured cell of its height. A reader without eyes gets the text below. */
function renderBars({ moneyUnit }: Content, { format, points, title }: Extract<Part, { kind: "series" }>): Html {
  const most = Math.max(0, ...points.map(({ value }) => value));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || most === 0) return nothing();
  const peak = points.find(({ value }) => value === most) ?? first;
  const gap = points.length > 14 ? 1 : 3;
  const label = `${title}: ${points.map(({ name, value }) => `${pointName(name)} ${numberText(value, format, moneyUnit)}`).join(", ")}`;
  return html`<table role="img" aria-label="${label}" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:10px 0 0;table-layout:fixed"><tr>
${points.map(({ name, value }) => {
  const px = value <= 0 ? 1 : Math.max(2, Math.round((value / most) * CHART_PX));
  return html`<td valign="bottom" height="${CHART_PX}" style="height:${CHART_PX}px;padding:0 ${gap}px;vertical-align:bottom" title="${`${pointName(name)}: ${numberText(value, format, moneyUnit)}`}"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td class="bar" bgcolor="${COLOURS.bar}" height="${px}" style="height:${px}px;font-size:0;line-height:0;background-color:${COLOURS.bar}">&nbsp;</td></tr></table></td>
`;
})}</tr></table>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:6px 0 0"><tr><td class="soft" align="left" style="font-size:13px;color:${COLOURS.soft}">${pointName(first.name)}</td><td class="soft" align="center" style="font-size:13px;color:${COLOURS.soft}">most: ${numberText(most, format, moneyUnit)} on ${pointName(peak.name)}</td><td class="soft" align="right" style="font-size:13px;color:${COLOURS.soft}">${pointName(last.name)}</td></tr></table>`;
}

function renderList({ moneyUnit }: Content, { measure, format, rows, more }: Extract<Part, { kind: "list" }>): Html {
  if (rows.length === 0) return nothing();
  const cell = { html: `padding:6px 0;border-bottom:1px solid ${COLOURS.line}` };
  return html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:6px 0 0;border-collapse:collapse">
<tr><th class="soft line" scope="col" align="left" style="${cell};font-size:13px;font-weight:400;color:${COLOURS.soft}">Name</th><th class="soft line" scope="col" align="right" style="${cell};font-size:13px;font-weight:400;color:${COLOURS.soft}">${measure}</th></tr>
${rows.map(
  ({
    name,
    value,
  }) => html`<tr><td class="text line" align="left" style="${cell};color:${COLOURS.text};word-break:break-word">${name}</td><td class="text line" align="right" style="${cell};padding-left:16px;white-space:nowrap;color:${COLOURS.text}">${numberText(value, format, moneyUnit)}</td></tr>
`,
)}</table>${more > 0 && html`<p class="soft" style="margin:6px 0 0;font-size:13px;color:${COLOURS.soft}">and ${more} more</p>`}`;
}

function nothing(): Html {
  return html`<p class="soft" style="margin:6px 0 0;color:${COLOURS.soft}">Nothing in these days.</p>`;
}
