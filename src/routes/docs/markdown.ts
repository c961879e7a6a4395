/**
 * The part of Markdown that our guides use: headings, paragraphs, lists of one level, tables, code, links, bold. Written
 * by hand, because the texts are ours: a package would bring HTML in texts and its own escaping.
 */
import { type Html, html } from "../../lib/html.ts";

/** What a link leads to here; undefined: nothing that is served, so that its text alone is shown. */
export type ToHref = (target: string) => string | undefined;

export function renderMarkdown(text: string, toHref: ToHref): Html {
  return html`${blocksOf(text.split("\n")).map((block) => renderBlock(block, toHref))}`;
}

interface Block {
  kind: "heading" | "code" | "table" | "list" | "numbers" | "text";
  lines: string[];
}

const STARTS: readonly (readonly [Block["kind"], RegExp])[] = [
  ["heading", /^#{1,6} /],
  ["table", /^\|/],
  ["list", /^[-*] /],
  ["numbers", /^\d+\. /],
];

/** A block ends with an empty line, and a table, heading or code begins one. */
function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  const begin = (kind: Block["kind"], ...first: string[]) => {
    open = { kind, lines: first };
    blocks.push(open);
  };
  for (const line of lines) {
    if (open?.kind === "code") {
      if (line.startsWith("```")) open = undefined;
      else open.lines.push(line);
      continue;
    }
    const kind = line.startsWith("```") ? "code" : (STARTS.find(([, start]) => start.test(line))?.[0] ?? "text");
    if (line.trim() === "") open = undefined;
    else if (kind === "code") begin(kind);
    // A line below an item goes on with it.
    else if (open !== undefined && (kind === open.kind || kind === "text") && open.kind !== "heading")
      open.lines.push(line);
    else begin(kind, line);
  }
  return blocks;
}

function renderBlock({ kind, lines }: Block, toHref: ToHref): Html {
  const inline = (text: string) => renderInline(text, toHref);
  switch (kind) {
    case "heading": {
      const [line = ""] = lines;
      const text = line.replace(/^#+ /, "");
      const id = slugOf(text);
      if (line.startsWith("# ")) return html`<h1 id="${id}">${inline(text)}</h1>`;
      return line.startsWith("## ")
        ? html`<h2 id="${id}">${inline(text)}</h2>`
        : html`<h3 id="${id}">${inline(text)}</h3>`;
    }
    case "code":
      return html`<pre tabindex="0"><code>${lines.join("\n")}</code></pre>`;
    case "table":
      return renderTable(lines, inline);
    case "list":
      return html`<ul>${itemsOf(lines, /^[-*] /).map((item) => html`<li>${inline(item)}</li>`)}</ul>`;
    case "numbers":
      return html`<ol>${itemsOf(lines, /^\d+\. /).map((item) => html`<li>${inline(item)}</li>`)}</ol>`;
    case "text":
      return html`<p>${inline(lines.join("\n"))}</p>`;
  }
}

function itemsOf(lines: readonly string[], start: RegExp): string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (start.test(line)) items.push(line.replace(start, ""));
    else items.push(`${items.pop() ?? ""}\n${line.trim()}`);
  }
  return items;
}

function renderTable([head = "", , ...rows]: readonly string[], inline: (text: string) => Html): Html {
  const body = rows.map((row) => html`<tr>${cellsOf(row).map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`);
  const names = cellsOf(head).map((cell) =>
    cell === "" ? html`<td></td>` : html`<th scope="col">${inline(cell)}</th>`,
  );
  return html`<div class="scroll"><table><thead><tr>${names}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** `\|` is a bar in a cell. */
function cellsOf(row: string): string[] {
  const cells = row
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.replaceAll("\\|", "|").trim());
}

const INLINE = /`([^`]+)`|\[([^[\]]+)\]\(([^()\s]+)\)|\*\*([^*]+)\*\*/;

function renderInline(text: string, toHref: ToHref): Html {
  const found = INLINE.exec(text);
  if (found === null) return html`${text}`;
  const rest = renderInline(text.slice(found.index + found[0].length), toHref);
  return html`${text.slice(0, found.index)}${renderMark(found, toHref)}${rest}`;
}

function renderMark([, code, name, target, bold]: RegExpExecArray, toHref: ToHref): Html {
  if (code !== undefined) return html`<code>${code}</code>`;
  if (bold !== undefined) return html`<strong>${renderInline(bold, toHref)}</strong>`;
  const href = toHref(target ?? "");
  const label = renderInline(name ?? "", toHref);
  return href === undefined ? label : html`<a href="${href}">${label}</a>`;
}

/** As GitHub names headings, because links between the guides are tested against it. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
