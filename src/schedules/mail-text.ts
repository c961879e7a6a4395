/** A report as plain text: for readers without HTML, and for what speaks it aloud. Bars are made of characters. */
import { cut } from "../webhooks/channels/message.ts";
import type { Content, Part } from "./content.ts";
import type { Links } from "./mail-html.ts";
import { beforeText, changeOf, importedText, lateText, numberText, periodText, pointName } from "./texts.ts";

/** Lines of mail have at most 78 characters (RFC 5322). */
const BAR_CHARS = 30;
const NAME_CHARS = 56;

export function renderText(content: Content, links: Links): string {
  const { title, boardId, project } = content;
  const notes = [lateText(content), importedText(content)].filter((note) => note !== undefined);
  const head = [title, ...(boardId === null ? [] : [project.name]), periodText(content), ...notes];
  const parts = content.parts.map((part) => renderPart(content, part));
  const foot = [
    `Changes are against ${beforeText(content)}. Days are in ${content.timezone}.`,
    ...(links.unsubscribe === undefined
      ? []
      : [
          "You get this mail because your address was added to this report and you confirmed it.",
          `Unsubscribe: ${links.unsubscribe}`,
        ]),
  ];
  return `${[head, ...parts, [`Open it: ${links.report}`], foot].map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function renderPart({ moneyUnit }: Content, part: Part): string[] {
  switch (part.kind) {
    case "figures":
      return align(
        part.figures.map((figure) => [
          figure.label,
          numberText(figure.value, figure.format, moneyUnit),
          changeOf(figure).text,
        ]),
      );
    case "series": {
      const most = Math.max(0, ...part.points.map(({ value }) => value));
      if (most === 0) return [part.title, "Nothing in these days."];
      return [
        part.title,
        ...align(
          part.points.map(({ name, value }) => [
            pointName(name),
            numberText(value, part.format, moneyUnit),
            "█".repeat(value <= 0 ? 0 : Math.max(1, Math.round((value / most) * BAR_CHARS))),
          ]),
        ),
      ];
    }
    case "list": {
      if (part.rows.length === 0) return [part.title, "Nothing in these days."];
      const rows = part.rows.map(({ name, value }) => [name, numberText(value, part.format, moneyUnit)]);
      return [`${part.title} (${part.measure})`, ...align(rows), ...(part.more > 0 ? [`and ${part.more} more`] : [])];
    }
    case "note":
      return [part.title, part.text];
  }
}

/** Names to the left, numbers to the right, and what follows as it is. */
function align(rows: readonly (readonly string[])[]): string[] {
  const width = (at: number) => Math.max(...rows.map((row) => (row[at] ?? "").length));
  const [names, numbers] = [Math.min(width(0), NAME_CHARS), width(1)];
  return rows.map(([name = "", number = "", rest = ""]) => {
    return `  ${cut(name, NAME_CHARS).padEnd(names)}  ${number.padStart(numbers)}  ${rest}`.trimEnd();
  });
}
