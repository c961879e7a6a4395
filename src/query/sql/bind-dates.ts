/**
 * Binds `{{date_from}}` and `{{date_to}}` of a chart's SQL, token by token: `{{date_from}}` is a day (Date), and
 * `'{{date_from}}'` its text. The SQL of an alert may also have `{{time_from}}` and `{{time_to}}`, times in UTC. The value is checked here and becomes a literal, so that the statement has no parameters
 * left when the engine's parser reads it. A placeholder inside of a longer text is refused, and so is any other one.
 */
import { ApiError } from "../../contract/errors.ts";
import { is, type Token, tokenize } from "../../lib/sql-tokens.ts";

export interface Days {
  readonly date_from: string;
  readonly date_to: string;
}

/** `YYYY-MM-DD hh:mm:ss` */
export interface Times {
  readonly time_from: string;
  readonly time_to: string;
}

type Bound = Days & Partial<Times>;
type Placeholder = keyof Days | keyof Times;
const DATES: readonly Placeholder[] = ["date_from", "date_to"];
const TIMES: readonly Placeholder[] = ["time_from", "time_to"];
const MOST_TOKENS = 16;
const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** Undefined tokens are a text with an open quote: the engine's check refuses it with its own words. */
export function bindDates(sql: string, days: Bound): string {
  checkValues(days);
  const tokens = tokenize(sql);
  if (tokens === undefined) return sql;
  const bound: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] as Token;
    const found = findPlaceholder(tokens, at);
    if (found !== undefined) {
      const name = getName(found.text, days);
      bound.push(`${DATES.includes(name) ? "toDate" : "toDateTime"}('${days[name]}')`);
      at = found.next;
      continue;
    }
    bound.push(isQuoted(token) ? bindQuoted(token, days) : token.text);
    at += 1;
  }
  return bound.join("");
}

function checkValues(days: Bound): void {
  for (const name of DATES) if (!DAY.test(days[name] ?? "")) throw new Error(`${name} is no day: ${days[name]}`);
  for (const name of TIMES)
    if (days[name] !== undefined && !TIME.test(days[name])) throw new Error(`${name} is no time: ${days[name]}`);
}

/** Whether a chart's SQL asks for the days. */
export function hasBothDates(sql: string): boolean {
  return hasAll(sql, DATES);
}

/** Whether the SQL of an alert asks for the times of its window. */
export function hasBothTimes(sql: string): boolean {
  return hasAll(sql, TIMES);
}

function hasAll(sql: string, names: readonly Placeholder[]): boolean {
  const tokens = tokenize(sql) ?? [];
  const found = tokens.map((token, at) =>
    isQuoted(token) ? /^.\{\{\s*(\w+)\s*\}\}.$/s.exec(token.text)?.[1] : findPlaceholder(tokens, at)?.text,
  );
  return names.every((name) => found.includes(name));
}

function isQuoted({ kind }: Token): boolean {
  return kind === "string" || kind === "name";
}

/** `{`, `{`, what is inside, `}`, `}`. */
function findPlaceholder(tokens: readonly Token[], at: number): { text: string; next: number } | undefined {
  if (!is(tokens[at], "{") || !is(tokens[at + 1], "{")) return undefined;
  // A placeholder is a few tokens. Without a bound, thousands of open ones took 0.3 s.
  const rest = tokens.slice(at + 2, at + 2 + MOST_TOKENS);
  const end = rest.findIndex((token, place) => is(token, "}") && is(rest[place + 1], "}"));
  if (end === -1) throw unknown(rest[0]?.text ?? "");
  const inside = rest.slice(0, end).map(({ text }) => text);
  return { text: inside.join("").trim(), next: at + 2 + end + 2 };
}

/** A text that is a placeholder and nothing else. */
function bindQuoted({ kind, text }: Token, days: Bound): string {
  if (!text.includes("{{")) return text;
  const inside = /^.\{\{\s*([^{}]*?)\s*\}\}.$/s.exec(text)?.[1];
  if (inside !== undefined && kind === "string") return `'${days[getName(inside, days)]}'`;
  const [found = ""] = /\{\{[^{}]*\}\}/.exec(text) ?? [];
  throw new ApiError(
    "BAD_REQUEST",
    `A placeholder stands alone: write ${found || "it"} or '${found}', and join other text by concat`,
    { param: "body.query" },
  );
}

function getName(text: string, days: Bound): Placeholder {
  const name = [...DATES, ...TIMES].find((one) => one === text && days[one] !== undefined);
  if (name === undefined) throw unknown(text);
  return name;
}

function unknown(text: string): ApiError {
  return new ApiError(
    "BAD_REQUEST",
    `There is no placeholder {{${text.slice(0, 80)}}}: there are {{date_from}} and {{date_to}}`,
    { param: "body.query" },
  );
}
