/**
 * LIKE and regular expressions in linear time. DuckDB compares LIKE by backtracking: `'%a%a%b'` over 8,000 characters
 * did not end within a minute, and no interrupt reaches a single comparison. RE2, which executes regular expressions,
 * takes time in the length of the text times that of the pattern.
 */
import { STATEMENT_LIMITS } from "../limits.ts";
import type { Context } from "./context.ts";
import { call, castToText, equal, findText, integer, type Node, not, refuse, textConstant } from "./tree.ts";

/** The first characters of a text. */
export function cut(node: Node, chars: number): Node {
  return call("left", [castToText(node), integer(chars)]);
}

/** The pattern of a regular expression. Counted repetitions multiply its length. */
export function readPattern(context: Context, node: Node | undefined): Node {
  context.count("patterns");
  const pattern = node === undefined ? undefined : findText(node);
  if (pattern === undefined) return refuse("The pattern of a regular expression must be a text");
  if (pattern.length > STATEMENT_LIMITS.patternChars)
    refuse(`The pattern of a regular expression has more than ${STATEMENT_LIMITS.patternChars} characters`);
  if (pattern.includes("{")) refuse("Counted repetitions, such as {2,5}, are not supported in regular expressions");
  return textConstant(pattern);
}

/** LIKE and ILIKE: `%` is any text, `_` one character, a backslash makes the next one plain. */
export function like(
  context: Context,
  value: Node,
  pattern: Node,
  options: { ignoreCase: boolean; isNot: boolean },
): Node {
  context.count("patterns");
  const text = findText(pattern);
  if (text === undefined) return refuse("The pattern of LIKE must be a text");
  if (text.length > STATEMENT_LIMITS.patternChars * 2)
    return refuse(`The pattern of LIKE has more than ${STATEMENT_LIMITS.patternChars * 2} characters`);
  const made = options.ignoreCase ? compare(call("lower", [value]), text.toLowerCase()) : compare(value, text);
  return options.isNot ? not(made) : made;
}

function compare(value: Node, pattern: string): Node {
  const { plain, steps } = readLike(pattern);
  const [first, last] = [steps.at(0) === "%", steps.length > 1 && steps.at(-1) === "%"];
  const middle = steps.slice(first ? 1 : 0, last ? -1 : undefined);
  // Most patterns are a text with or without `%` at its ends, of any length.
  if (middle.every((step) => step === plain) && middle.length <= 1) {
    if (first && last) return call("contains", [value, textConstant(plain)]);
    if (first) return call("suffix", [value, textConstant(plain)]);
    if (last) return call("starts_with", [value, textConstant(plain)]);
    return equal(value, textConstant(plain));
  }
  const expression = steps.map((step) => (step === "%" ? ".*" : step === "_" ? "." : escapeText(step))).join("");
  const cutValue = cut(value, STATEMENT_LIMITS.matchedChars);
  return call("regexp_full_match", [cutValue, textConstant(expression), textConstant("s")]);
}

/** The pattern as a list of `%`, `_` and texts; `plain` is the only text, if there is one. */
function readLike(pattern: string): { plain: string; steps: string[] } {
  const steps: string[] = [];
  let plain = "";
  const end = () => {
    if (plain !== "") steps.push(plain);
    plain = "";
  };
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] ?? "";
    if (char === "\\" && at + 1 < pattern.length) {
      at += 1;
      plain += pattern[at];
    } else if (char === "%" || char === "_") {
      end();
      if (char === "_" || steps.at(-1) !== "%") steps.push(char);
    } else plain += char;
  }
  end();
  const texts = steps.filter((step) => step !== "%" && step !== "_");
  return { plain: texts.length === 1 ? (texts[0] ?? "") : "", steps };
}

function escapeText(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}
