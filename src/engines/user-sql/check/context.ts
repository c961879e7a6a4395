/** The state of one check: what is in scope, and how much of its limits the statement has used. */
import { STATEMENT_LIMITS } from "../limits.ts";
import { type Node, refuse } from "./tree.ts";

/** A relation in the FROM of a statement. */
export interface Relation {
  /** Number of columns. */
  readonly width: number;
  /** Tables that it reads, with repetitions; at least 1 in a FROM. */
  readonly weight: number;
  /** The names of the columns; undefined for relations that only our own tables read. */
  readonly columns?: readonly string[] | undefined;
}

/** A relation in the FROM of a SELECT, by the name that it has there. */
export interface Table {
  readonly alias: string;
  readonly names: readonly string[] | undefined;
  /** The lower-case names. */
  readonly columns: ReadonlySet<string> | undefined;
  /** Lower-case names of USING that are columns of an earlier table: `*` shows them once. */
  readonly merged?: ReadonlySet<string>;
}

/** A query as a tree that is made anew, or a table of the catalogue as one. */
export interface CheckedQuery extends Relation {
  readonly node: Node;
}

export type TableTrees = ReadonlyMap<string, CheckedQuery>;

const COUNTED = ["longerTexts", "replacements", "splits", "patterns"] as const;
type Counted = (typeof COUNTED)[number];

const TOO_OFTEN: Readonly<Record<Counted, string>> = {
  longerTexts: "The query joins or converts texts too often",
  replacements: "The query replaces parts of texts too often",
  splits: "The query splits texts too often",
  patterns: "The query compares texts with patterns too often",
};

export class Context {
  /** By lower-case name. */
  readonly tables: TableTrees;
  /** Columns that the statement mentions, or undefined where it may mean any. */
  readonly mentioned: ReadonlySet<string> | undefined;
  #ctes: readonly ReadonlyMap<string, Relation>[] = [];
  #depth = 0;
  #nodes = 0;
  #read = 0;
  #unnamed = 0;
  readonly #counts = new Map<Counted, number>();

  constructor(tables: TableTrees, mentioned: ReadonlySet<string> | undefined) {
    this.tables = tables;
    this.mentioned = mentioned;
  }

  /** Checks a node and what is below it. */
  within<T>(work: () => T): T {
    this.addNodes(1);
    this.#depth += 1;
    if (this.#depth > STATEMENT_LIMITS.depth) refuse("The query is nested too deep");
    const done = work();
    this.#depth -= 1;
    return done;
  }

  /** Nodes of the tree that is made, also those that the statement has once and the tree twice. */
  addNodes(count: number): void {
    this.#nodes += count;
    if (this.#nodes > STATEMENT_LIMITS.nodes) refuse("The query is too long");
  }

  /** The tables that a part of the statement reads, in subqueries of its expressions, too. */
  weigh<T extends object>(work: () => T): T & { readonly weight: number } {
    const before = this.#read;
    const done = work();
    return { ...done, weight: this.#read - before };
  }

  /** A table or a CTE is read. */
  read(weight: number): void {
    this.#read += weight;
    if (this.#read > STATEMENT_LIMITS.tables) refuse("The query reads too many tables");
  }

  count(what: Counted, by = 1): void {
    const now = (this.#counts.get(what) ?? 0) + by;
    this.#counts.set(what, now);
    if (now > STATEMENT_LIMITS[what]) refuse(TOO_OFTEN[what]);
  }

  /** The name of a subquery without one, so that its columns can be told from aliases. DuckDB's own names are alike. */
  nextName(): string {
    this.#unnamed += 1;
    return `unnamed_subquery${this.#unnamed === 1 ? "" : this.#unnamed}`;
  }

  findCte(name: string): Relation | undefined {
    const key = name.toLowerCase();
    return this.#ctes.findLast((scope) => scope.has(key))?.get(key);
  }

  /** CTEs are in scope for those after them and for the statement: `scope` grows while they are checked. */
  withCtes<T>(scope: ReadonlyMap<string, Relation>, work: () => T): T {
    const before = this.#ctes;
    this.#ctes = [...before, scope];
    const done = work();
    this.#ctes = before;
    return done;
  }
}

/**
 * A CTE may have the name of a table: before it, the name means the table. No table of the database has a name with a
 * space, so that a CTE out of scope is an unknown table.
 */
export function hiddenCte(name: string): string {
  return `cte ${name.toLowerCase()}`;
}

export function limitWidth(width: number): number {
  return width > STATEMENT_LIMITS.columns ? refuse("The query has too many columns") : width;
}
