import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { sampled } from "../../src/lib/testing.ts";

/**
 * A pattern whose time grows faster than its text lets one request block the event loop for a second. Every pattern of
 * the sources runs here on texts of its own characters, and its time on a text is compared with the time on a quarter
 * of it.
 */
const SRC = resolve(import.meta.dirname, "../../src");

/** Patterns that are not linear, and why that is harmless: their texts are ours or short. */
const HARMLESS: Record<string, string> = {
  "/\\/+$/": "of settings",
  "/^\\s*--.*\\n/gm": "of our own SQL files",
};

/** In a short run: each is matched with thousands of texts. */
const SOME = 120;

interface Pattern {
  file: string;
  text: string;
  regex: RegExp;
}

function readPatterns(): Pattern[] {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
  );
  return files.flatMap((file) => {
    const code = readFileSync(join(SRC, file), "utf8").replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, "");
    // A slash begins a pattern where a value is expected: after a bracket, a comma, an operator or `return`.
    const found = code.matchAll(
      /(?:[(,=:[!&|?{};]\s*|return )\/(?![/*])((?:[^\\/\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g,
    );
    return [...found].map(([, source = "", flags = ""]) => ({
      file,
      text: `/${source}/${flags}`,
      regex: new RegExp(source, flags),
    }));
  });
}

const CLASSES: Record<string, string> = { d: "0", s: " ", w: "a", D: "a", S: "a", W: " ", n: "\n", r: "\r", t: "\t" };

/** One text for each way to begin, to repeat one or two of the pattern's characters, and to end. */
function* hostileTexts(source: string, length: number): Generator<string> {
  const bare = source
    .replaceAll(/\\p\{[^}]*\}/gi, "a")
    .replaceAll(/\\[ux]\{?[0-9a-f]{2,5}\}?/gi, "\u0001")
    .replaceAll(/\{\d+(?:,\d*)?\}/g, "")
    .replaceAll(/\(\?(?:<?[=!]|:)/g, "(")
    .replaceAll(/\\(.)/g, (_, code: string) => CLASSES[code] ?? code)
    .replaceAll(".", "a.");
  const chars = [...new Set(bare)]
    .filter((char) => !"^$*+?()|[]".includes(char) || source.includes(`\\${char}`))
    .slice(0, 14);
  const starts = ["", ...chars.slice(0, 6), bare.replaceAll(/[^\w/: ]/g, "").slice(0, 8)];
  const pumps = chars.flatMap((one) => [one, ...chars.slice(0, 8).flatMap((two) => (one === two ? [] : [one + two]))]);
  for (const pump of pumps)
    for (const start of starts)
      for (const end of ["", "\u0001"]) yield start + pump.repeat(Math.ceil(length / pump.length)) + end;
}

/** Of this thread: other programs that take the processor meanwhile do not count. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The least of `runs` runs, in milliseconds: noise only adds. */
function timeOf(regex: RegExp, text: string, runs: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs; i += 1) {
    const startedAt = cpuMs();
    if (regex.global) text.replace(regex, "");
    else regex.test(text);
    least = Math.min(least, cpuMs() - startedAt);
  }
  return least;
}

/** Short texts first: they show what is exponential before a longer one would take for ever. */
const LENGTHS = [20, 240, 4_000];

/** The first characters of a text on which the pattern takes more than eight times what a quarter of the text takes. */
function findSlow({ source, flags }: { source: string; flags: string }): string | undefined {
  const regex = new RegExp(source, flags.replace("y", ""));
  for (const length of LENGTHS) {
    const quarters = hostileTexts(source, length / 4);
    for (const text of hostileTexts(source, length)) {
      const quarter = quarters.next().value ?? "";
      // Too fast to be compared, and to be of interest: a quadratic pattern takes 5 ms for 4,000 characters.
      if (timeOf(regex, text, 1) < 1 || timeOf(regex, text, 3) < 1) continue;
      const isSlow = () => timeOf(regex, text, 3) > 8 * timeOf(regex, quarter, 3);
      if (isSlow() && isSlow()) return text.slice(0, 20);
    }
  }
  return undefined;
}

test("the search finds patterns that are slow", () => {
  const slow = [/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i, /^(a+)+$/, /\s+$/, /^(?:\w+\.?)*@$/];
  assert.deepEqual(
    slow.map((regex) => [regex.source, findSlow(regex) !== undefined]),
    slow.map((regex) => [regex.source, true]),
  );
});

test("no pattern of the sources takes more than linear time", () => {
  const patterns = readPatterns();
  assert.ok(patterns.length > 50, `the search finds the patterns there are: ${patterns.length}`);
  const slow = sampled(patterns, SOME).flatMap(({ file, text, regex }) => {
    const shown = text in HARMLESS ? undefined : findSlow(regex);
    return shown === undefined ? [] : [`${file}: ${text} on ${JSON.stringify(shown)}...`];
  });
  assert.deepEqual(slow, []);
});
