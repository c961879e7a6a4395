/** The rows of a funnel by group, as many as a table shows. */
import type { FunnelRow } from "./funnel-row.ts";

const SHOWN_GROUPS = 8;
/** The report's own name for what it leaves out. */
const OTHERS = "Others";

/** Small groups together, but never a single one: its own name says more. A visitor is in one group only. */
export function foldGroups(rows: readonly FunnelRow[]): readonly FunnelRow[] {
  const values = [...new Set(rows.map(({ breakdown = "" }) => breakdown))];
  if (values.length <= SHOWN_GROUPS + 1) return rows;
  const shown = values.filter((value) => value !== OTHERS).slice(0, SHOWN_GROUPS);
  const isShown = ({ breakdown = "" }: FunnelRow) => shown.includes(breakdown);
  const rest = rows.filter((row) => !isShown(row));
  const steps = rows.filter(({ breakdown = "" }) => breakdown === values[0]);
  const users = (step: number) => rest.filter((row) => row.step === step).reduce((sum, row) => sum + row.users, 0);
  const share = (some: number, all: number) => (all === 0 ? null : some / all);
  const others = steps.map(({ step, event }) => ({
    step,
    event,
    breakdown: OTHERS,
    users: users(step),
    conversion_from_start: share(users(step), users(1)),
    conversion_from_previous: step === 1 ? null : share(users(step), users(step - 1)),
    median_seconds_from_previous: null,
    median_seconds_from_start: null,
  }));
  return [...rows.filter(isShown), ...others];
}
