import { SQL_LIMITS } from "../../contract/query.ts";

/**
 * Limits of one statement of a user. Time, memory and rows are limited while it runs; these are limits of its text, for
 * what no running query can be interrupted in: planning, and single calls of a function.
 */
export const STATEMENT_LIMITS = {
  chars: SQL_LIMITS.chars,
  nameChars: 128,
  /** DuckDB plans recursively; 200 levels are far from the end of its stack. */
  depth: 200,
  nodes: 4_000,
  /**
   * Tables that a statement reads, where a subquery without any counts as one, and a CTE as often as it is used: 18 CTEs
   * that each read the one before twice took 25 s of planning, 40 of constants did not end.
   */
  tables: 48,
  /** Columns of any relation: eight levels of `SELECT *, *, *, *` took 22 s of planning. */
  columns: 1_000,
  /** Expressions that an alias stands for, aliases inside it included: 18 levels of `a + a AS b` did not end. */
  aliasWeight: 500,
  groupingSets: 64,
  /** Those of all its SELECTs together. */
  allGroupingSets: 256,
  /** Characters of the parser's tree: a statement of as many nodes as it may have takes 4 million. */
  treeChars: 16_000_000,
  listItems: 1_000,
  /** Characters of a text that go into a function which makes a longer one, and how often a statement may do so. */
  cutChars: 8_192,
  longerTexts: 32,
  replacements: 8,
  replacementChars: 4,
  splits: 2,
  patterns: 16,
  patternChars: 100,
  /** Characters that a pattern is compared with. */
  matchedChars: 4_096,
} as const;
