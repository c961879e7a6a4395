/**
 * The text of each column of a statement's select list, which names a column without an alias. By words: only names
 * depend on it, and a list that the words do not tell is named by the tree (column-name.ts).
 */
import { is, type Token, tokenize } from "../../../lib/sql-tokens.ts";
import { STATEMENT_LIMITS } from "../limits.ts";
import type { Node } from "./tree.ts";

const ENDS: ReadonlySet<string> = new Set([
  ...["FROM", "WHERE", "GROUP", "HAVING", "QUALIFY", "WINDOW", "ORDER", "LIMIT", "OFFSET"],
  ...["UNION", "EXCEPT", "INTERSECT", "FORMAT", "SETTINGS"],
]);

/** Of the first SELECT outside of brackets; undefined if there is none. */
export function writtenColumns(sql: string): readonly string[] | undefined {
  const tokens = tokenize(sql);
  const start = tokens === undefined ? -1 : firstSelect(tokens);
  if (tokens === undefined || start === -1) return undefined;
  const columns: string[] = [];
  let [depth, text] = [0, ""];
  for (let at = start; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    if (depth === 0 && isEnd(tokens, at)) break;
    if (is(token, "(") || is(token, "[") || is(token, "{")) depth += 1;
    if (is(token, ")") || is(token, "]") || is(token, "}")) depth -= 1;
    if (depth === 0 && is(token, ",")) {
      columns.push(text);
      text = "";
    } else text += token.kind === "blank" ? " " : token.text;
  }
  return [...columns, text].map((column) => withoutEnd(column.replaceAll(/ +/g, " ")).trim());
}

function withoutEnd(column: string): string {
  let end = column.length;
  while (/[\s;]/.test(column[end - 1] ?? "")) end -= 1;
  return column.slice(0, end);
}

function firstSelect(tokens: readonly Token[]): number {
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (is(token, "(")) depth += 1;
    if (is(token, ")")) depth -= 1;
    if (depth !== 0 || !is(token, "SELECT")) continue;
    const next = tokens.findIndex(({ kind }, i) => i > at && kind !== "blank");
    return is(tokens[next], "DISTINCT") || is(tokens[next], "ALL") ? next + 1 : at + 1;
  }
  return -1;
}

/** `a IS DISTINCT FROM b` is one expression. */
function isEnd(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at] as Token;
  if (token.kind !== "word" || !ENDS.has(token.text.toUpperCase())) return false;
  let last = at - 1;
  while (tokens[last]?.kind === "blank") last -= 1;
  const before = tokens[last];
  return !is(before, "DISTINCT") && !is(before, ".") && !is(before, "AS");
}

/** The parser's tree with the text as the alias of each column of its first SELECT that has neither. */
export function nameColumns(tree: Node, columns: readonly string[] | undefined): Node {
  if (columns === undefined) return tree;
  if (tree.type === "SET_OPERATION_NODE") return { ...tree, left: nameColumns(tree.left as Node, columns) };
  const list = tree.select_list as readonly Node[] | undefined;
  if (list === undefined || list.length !== columns.length) return tree;
  return { ...tree, select_list: list.map((node, at) => named(node, columns[at] ?? "")) };
}

function named(node: Node, text: string): Node {
  const isNamed = node.alias !== "" || node.class === "COLUMN_REF" || node.class === "STAR";
  if (isNamed || text === "" || /^our /i.test(text)) return node;
  return { ...node, alias: text.slice(0, STATEMENT_LIMITS.nameChars) };
}
