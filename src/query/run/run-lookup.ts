import type { AnalyticsEngine } from "../../engines/port.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ReportOwner } from "../report/question.ts";
import { inSlot, type SlotDeps, type Spent } from "./in-slot.ts";

/** A read of the engine that is not a report: a few statements under one query slot, with an answer of its own shape. */
export interface Lookup<T> {
  /** In the metrics of reports. */
  readonly name: string;
  run(given: LookupContext): Promise<T>;
}

export interface LookupContext {
  readonly engine: Pick<AnalyticsEngine, "select" | "relations">;
  readonly owner: ReportOwner;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

export type RunLookup = <T>(lookup: Lookup<T>, owner: ReportOwner, signal: AbortSignal, spent?: Spent) => Promise<T>;

export interface LookupDeps extends SlotDeps {
  engine: LookupContext["engine"];
  clock: Clock;
}

export function createRunLookup(deps: LookupDeps): RunLookup {
  return (lookup, owner, signal, spent) =>
    inSlot(deps, lookup.name, owner.workspaceId, signal, spent, () =>
      lookup.run({ engine: deps.engine, owner, nowMs: deps.clock.nowMs(), signal }),
    );
}
