/** The reason of a refused statement, with the name that was probably meant and the place where it stands. */
import { FUNCTIONS } from "../../engines/user-sql/functions.ts";
import { TABLES } from "../../engines/user-sql/tables.ts";
import { identifierOf, type Token, tokenize } from "../../lib/sql-tokens.ts";

interface Kind {
  readonly pattern: RegExp;
  readonly says: string;
  candidates(words: ReadonlySet<string>): readonly string[];
}

const KINDS: readonly Kind[] = [
  {
    pattern: /^There is no table (\S+?)$/,
    says: "There is no table",
    candidates: () => TABLES.map(({ name }) => name),
  },
  {
    pattern: /^There is no (?:window )?function (\S+?)$/,
    says: "There is no function",
    candidates: () => FUNCTIONS.filter(({ about }) => about !== "").map(({ name }) => name),
  },
  {
    // DuckDB's words, our own, and ClickHouse's.
    pattern:
      /^(?:Referenced column "([^"]+)" (?:not found|was not found)|There is no column (\S+?)$|(?:Unknown|Missing) (?:expression|columns?|identifier)[^`']*[`']([^`']+)[`'])/,
    says: "There is no column",
    candidates: (words) => columnsOf(words),
  },
];

/** Of the tables that the statement names. */
function columnsOf(words: ReadonlySet<string>): string[] {
  const read = TABLES.filter(({ name }) => words.has(name.toLowerCase()));
  return [...new Set(read.flatMap(({ columns }) => columns.map(({ name }) => name)))];
}

/** `hasPlaces`: the text is the user's own, so that a place in it means something to its author. */
export function explainRefusal(message: string, sql: string, hasPlaces: boolean): string {
  const tokens = tokenize(sql) ?? [];
  for (const { pattern, says, candidates } of KINDS) {
    const found = pattern.exec(message);
    const name = found?.slice(1).find((group) => group !== undefined);
    if (name === undefined) continue;
    const words = new Set(tokens.map((token) => (identifierOf(token) ?? "").toLowerCase()));
    const spelt = tokens.map(identifierOf).find((word) => word?.toLowerCase() === name.toLowerCase()) ?? name;
    const meant = findNearest(spelt, candidates(words));
    const place = hasPlaces ? placeOf(tokens, spelt) : "";
    return `${says} ${spelt}${place}${meant === undefined ? "" : `: did you mean \`${meant}\`?`}`;
  }
  const [, near] = /^The query cannot be parsed: syntax error at or near "(.+)"$/.exec(message) ?? [];
  return near === undefined || !hasPlaces ? message : message + placeOf(tokens, near);
}

/** Of the only token with this text: of several nobody knows which one is meant. */
function placeOf(tokens: readonly Token[], text: string): string {
  const found = tokens.flatMap((token, at) => ((identifierOf(token) ?? token.text) === text ? [at] : []));
  if (found.length !== 1) return "";
  const before = tokens
    .slice(0, found[0])
    .map((token) => token.text)
    .join("");
  const lines = before.split("\n");
  return ` (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`;
}

/** Up to a third of a name may differ: two letters of `adress`, none of `id`. */
function findNearest(name: string, candidates: readonly string[]): string | undefined {
  const most = Math.min(3, Math.floor(name.length / 3));
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = distanceOf(name.toLowerCase(), candidate.toLowerCase(), most);
    if (distance <= most && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Letters to insert, remove, replace or swap with their neighbour. */
function distanceOf(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let [older, old]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (old[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (older[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [older, old] = [old, row];
  }
  return old[b.length] ?? 0;
}
