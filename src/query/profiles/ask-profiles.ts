/** Asks a statement that reads the relation `profiles`. */
import type { AnalyticsEngine } from "../../engines/port.ts";
import type { Cte, FoundRelations } from "../../engines/relations.ts";
import type { KeptStatement, SelectParams } from "../../engines/select.ts";
import { withRelations } from "../run/with-relations.ts";

export type ProfileEngine = Pick<AnalyticsEngine, "select" | "relations">;

export interface ProfileStatement {
  readonly sql: string;
  readonly params: SelectParams;
  /** Relations that it reads, after `profiles`. */
  readonly ctes?: readonly Cte[] | undefined;
  /** Only these wallets: every scan leaves the others out. */
  readonly addresses?: readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
}

export async function askProfiles<T>(
  engine: ProfileEngine,
  project: string,
  { sql, params, ctes = [], addresses, timeoutMs }: ProfileStatement,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const relations = await engine.relations.forProfiles(project, addresses, signal);
  const over = (profiles: readonly Cte[]) => withRelations([...profiles, ...ctes], sql);
  const { rows } = await engine.select<T>(over(relations.ctes), {
    params: { ...relations.params, ...params },
    signal,
    ...(relations.kept && { kept: keptStatement(relations.kept, over) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return rows;
}

/** Without the CTEs themselves: functions are not sent to another process. */
function keptStatement(
  { ctes, ...relation }: NonNullable<FoundRelations["kept"]>,
  over: (profiles: readonly Cte[]) => string,
): KeptStatement {
  return { ...relation, sql: over(ctes) };
}
