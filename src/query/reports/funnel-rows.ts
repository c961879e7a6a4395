/** The rows of a funnel's answer: every step of every group, also those that nobody reached. */
import type { Column, ReportStatement, Row } from "../report/report.ts";

interface Shape {
  /** The clients' names of the steps. */
  readonly names: readonly string[];
  readonly isOpen: boolean;
  readonly isGrouped: boolean;
}

interface Reached {
  readonly users: number;
  readonly fromPrevious: number | null;
  readonly fromStart: number | null;
}

const NOBODY: Reached = { users: 0, fromPrevious: null, fromStart: null };
const OTHERS = "Others";

export function funnelRows(shape: Shape): NonNullable<ReportStatement["finish"]> {
  return {
    meta: columnsOf(shape),
    rows(counted) {
      const groups = new Map<string, Map<number, Reached>>(shape.isGrouped ? [] : [["", new Map()]]);
      for (const row of counted) {
        const breakdown = String(row.breakdown);
        const steps = groups.get(breakdown) ?? new Map<number, Reached>();
        steps.set(Number(row.step), readReached(row));
        groups.set(breakdown, steps);
      }
      return [...groups]
        .map(([breakdown, steps]) => ({ breakdown, reached: shape.names.map((_, at) => steps.get(at + 1) ?? NOBODY) }))
        .toSorted((a, b) => placeOf(a) - placeOf(b))
        .flatMap((group) => rowsOf(shape, group));
    },
  };
}

interface Group {
  readonly breakdown: string;
  readonly reached: readonly Reached[];
}

/** Large groups first; groups of one size keep the order of their names, and the others come last. */
function placeOf({ breakdown, reached }: Group): number {
  return breakdown === OTHERS ? 0 : -(reached[0]?.users ?? 0) - 1;
}

function columnsOf({ isOpen, isGrouped }: Shape): Column[] {
  const fraction = (name: string): Column => ({ name, type: "Nullable(Float64)" });
  return [
    ...(isGrouped ? [{ name: "breakdown", type: "String" } as const] : []),
    { name: "step", type: "UInt64" },
    { name: "event", type: "String" },
    { name: "users", type: "UInt64" },
    { name: "total", type: "UInt64" },
    fraction("conversion_from_start"),
    fraction("conversion_from_previous"),
    fraction("dropoff_from_previous"),
    fraction("median_seconds_from_previous"),
    fraction("median_seconds_from_start"),
    ...(isOpen ? [{ name: "dropped_off_users", type: "UInt64" } as const] : []),
  ];
}

function readReached({ n_users, from_previous, from_start }: Row): Reached {
  const toNumber = (value: Row[string] | undefined) => (typeof value === "number" ? value : null);
  return { users: Number(n_users), fromPrevious: toNumber(from_previous), fromStart: toNumber(from_start) };
}

function rowsOf({ names, isOpen, isGrouped }: Shape, { breakdown, reached }: Group): Row[] {
  const total = reached[0]?.users ?? 0;
  return reached.map(({ users, fromPrevious, fromStart }, at) => {
    const before = at === 0 ? null : (reached[at - 1]?.users ?? 0);
    return {
      ...(isGrouped ? { breakdown } : {}),
      step: at + 1,
      event: names[at] ?? "",
      users,
      total,
      conversion_from_start: share(users, total),
      conversion_from_previous: before === null ? null : share(users, before),
      dropoff_from_previous: before === null ? null : share(before - users, before),
      median_seconds_from_previous: before === null ? null : fromPrevious,
      median_seconds_from_start: before === null ? null : fromStart,
      ...(isOpen ? { dropped_off_users: before === null ? 0 : before - users } : {}),
    };
  });
}

function share(some: number, all: number): number | null {
  return all === 0 ? null : some / all;
}
