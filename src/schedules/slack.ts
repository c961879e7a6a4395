/**
 * A report as a message of Slack: 50 blocks and 3,000 characters a block at most, and beyond about 13,000 characters in
 * all Slack refuses the message. Lists are cut before that.
 */
import type { Content, Part } from "./content.ts";
import { beforeText, changeOf, importedText, lateText, numberText, periodText, pointName, subjectOf } from "./texts.ts";

const SECTION_CHARS = 2_900;
const MESSAGE_CHARS = 11_000;

interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

export function renderSlack(content: Content, reportUrl: string): { text: string; blocks: Block[] } {
  const notes = [lateText(content), importedText(content)].filter((note) => note !== undefined);
  const head = [`*${plain(content.title)}*`, plain(periodText(content)), ...notes.map(plain)];
  const sections = [head.join("\n"), ...content.parts.map((part) => renderPart(content, part))];
  const blocks: Block[] = [];
  let room = MESSAGE_CHARS;
  for (const text of sections) {
    const shown = text.length <= SECTION_CHARS ? text : `${text.slice(0, SECTION_CHARS)}…`;
    if (shown.length > room) break;
    room -= shown.length;
    blocks.push({ type: "section", text: { type: "mrkdwn", verbatim: true, text: shown } });
  }
  const foot = `<${reportUrl}|Open it> · Changes are against ${plain(beforeText(content))}. Days are in ${plain(content.timezone)}.`;
  blocks.push({ type: "context", elements: [{ type: "mrkdwn", text: foot }] });
  return { text: plain(subjectOf(content)), blocks };
}

function renderPart({ moneyUnit }: Content, part: Part): string {
  switch (part.kind) {
    case "figures":
      return part.figures
        .map((figure) => {
          const value = numberText(figure.value, figure.format, moneyUnit);
          return `${plain(figure.label)}: *${plain(value)}* ${changeOf(figure).text}`;
        })
        .join("\n");
    case "series":
      return `*${plain(part.title)}*\n${bars(part.points.map(({ value }) => value))}\n${rangeOf(part)}`;
    case "list":
      return [
        `*${plain(part.title)}*`,
        ...part.rows.map(({ name, value }) => `${plain(name)}: ${plain(numberText(value, part.format, moneyUnit))}`),
        ...(part.rows.length === 0 ? ["Nothing in these days."] : []),
        ...(part.more > 0 ? [`and ${part.more} more`] : []),
      ].join("\n");
    case "note":
      return `*${plain(part.title)}*\n${plain(part.text)}`;
  }
}

const STEPS = "▁▂▃▄▅▆▇█";

function bars(values: readonly number[]): string {
  const most = Math.max(0, ...values);
  if (most === 0) return "Nothing in these days.";
  return values.map((value) => STEPS[Math.max(0, Math.ceil((value / most) * STEPS.length) - 1)]).join("");
}

function rangeOf({ points }: Extract<Part, { kind: "series" }>): string {
  const [first, last] = [points[0], points.at(-1)];
  return first === undefined || last === undefined
    ? ""
    : `${plain(pointName(first.name))} – ${plain(pointName(last.name))}`;
}

/** The characters that Slack reads as marks. With `verbatim` a name cannot mention a channel or become a link. */
function plain(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/[*_~`]/g, (mark) => `\u200b${mark}`);
}
