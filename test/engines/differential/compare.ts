/**
 * Runs random statements on both engines. Their answers are equal, or both engines refuse the statement, or the
 * difference has a name (named-differences.ts).
 */
import { type Answer, ask, findDifference, isRefusal, type Outcome } from "./answers.ts";
import { type Choices, randomChoices, repeatChoices, shrink } from "./choices.ts";
import { type Engines, startEngines } from "./fixture.ts";
import { NAMED_DIFFERENCES } from "./named-differences.ts";
import { generateStatement, type Statement } from "./statement.ts";

export interface Comparison {
  readonly seed: number;
  readonly statements: number;
  /** Ends after as many differences without a name. */
  readonly mostFailures?: number;
  onProgress?(done: number, report: Report): void;
}

export interface Report {
  readonly statements: number;
  readonly equal: number;
  readonly refusedByBoth: number;
  /** Name of a difference -> statements. */
  readonly named: ReadonlyMap<string, number>;
  /** For people, with the seed and the shortest statement that was found. */
  readonly failures: readonly string[];
}

type Verdict =
  | { readonly kind: "equal" }
  | { readonly kind: "refused by both" }
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "failure"; readonly sort: string; readonly why: string };

/** Each trial takes as long as a statement. */
const TRIALS = 200;

export async function compareStatements(options: Comparison): Promise<Report> {
  const engines = await startEngines();
  const named = new Map<string, number>();
  const failures: string[] = [];
  let [equal, refusedByBoth, statements] = [0, 0, 0];
  const report = (): Report => ({ statements, equal, refusedByBoth, named, failures });
  try {
    while (statements < options.statements && failures.length < (options.mostFailures ?? 1)) {
      const choices = randomChoices(options.seed * 1_000_003 + statements);
      const verdict = await judge(engines, generateStatement(choices));
      if (verdict.kind === "equal") equal += 1;
      else if (verdict.kind === "refused by both") refusedByBoth += 1;
      else if (verdict.kind === "named") named.set(verdict.name, (named.get(verdict.name) ?? 0) + 1);
      else
        failures.push(
          await describeFailure(engines, choices, verdict.sort, `seed ${options.seed}, statement ${statements}`),
        );
      statements += 1;
      options.onProgress?.(statements, report());
    }
    return report();
  } finally {
    await engines.stop();
  }
}

/** For people. */
export function summarize({ statements, equal, refusedByBoth, named }: Report): string {
  const differences = [...named].map(([name, count]) => `${count} ${name}`).join(", ");
  return `${statements} statements: ${equal} equal, ${refusedByBoth} refused by both; named differences: ${differences || "none"}`;
}

async function judge({ duckdb, clickhouse }: Engines, statement: Statement): Promise<Verdict> {
  const [one, other] = await Promise.all([ask(duckdb, statement), ask(clickhouse, statement)]);
  if (isRefusal(one) && isRefusal(other)) return { kind: "refused by both" };
  const why = differenceOf(statement, one, other);
  if (why === undefined) return { kind: "equal" };
  const known = NAMED_DIFFERENCES.find(({ matches }) => matches(statement.sql, one, other));
  if (known !== undefined) return { kind: "named", name: known.name };
  // A shorter statement must fail in the same way.
  const sort = isRefusal(one) || isRefusal(other) ? why.slice(0, 40) : "answers";
  return { kind: "failure", sort, why };
}

function differenceOf(statement: Statement, one: Outcome, other: Outcome): string | undefined {
  if (isRefusal(one)) return `DuckDB refuses: ${one.refused}`;
  if (isRefusal(other)) return `ClickHouse refuses: ${other.refused}`;
  return findDifference(statement, one, other);
}

async function describeFailure(engines: Engines, choices: Choices, sort: string, place: string): Promise<string> {
  const fails = async (list: readonly number[]) => {
    const verdict = await judge(engines, generateStatement(repeatChoices(list)));
    return verdict.kind === "failure" && verdict.sort === sort;
  };
  const statement = generateStatement(repeatChoices(await shrink(choices.made, fails, TRIALS)));
  const [one, other] = [await ask(engines.duckdb, statement), await ask(engines.clickhouse, statement)];
  const lines = [
    place,
    statement.sql,
    differenceOf(statement, one, other),
    `DuckDB: ${show(one)}`,
    `ClickHouse: ${show(other)}`,
  ];
  return lines.join("\n  ");
}

function show(outcome: Outcome): string {
  if (isRefusal(outcome)) return outcome.refused;
  const { rows, total }: Answer = outcome;
  return `total ${total}, ${JSON.stringify(rows.slice(0, 5))}`;
}
