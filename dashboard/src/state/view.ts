import { useNavigate, useRouter, useRouterState, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import type { Query } from "../api/client.ts";
import { useSession } from "../api/session.ts";
import type { Day } from "../format/days.ts";
import type { Interval, Range } from "../format/range.ts";
import { type Filter, filtersParameter, filterText, parseFilter } from "./filters.ts";
import {
  type Comparable,
  type Comparison,
  comparableRanges,
  comparedRange,
  defaultInterval,
  intervalsFor,
  type PeriodName,
  rangeOf,
} from "./period.ts";
import type { RawSearch, ViewSearch } from "./search.ts";

const DEFAULT_PERIOD: PeriodName = "28d";
/** Within 28 days nobody can be back after 30. */
const DEFAULT_PERIODS: Readonly<Record<string, PeriodName>> = { retention: "90d" };
const DEFAULT_COMPARISON: Comparison = "previous";

/** What all panels of a page show: read from the URL. */
export interface View {
  project: string | undefined;
  today: Day;
  period: PeriodName;
  /** True where the arrow keys or a zoom have left the period of the menu. */
  moved: boolean;
  range: Range;
  comparison: Comparison;
  compared: Range | undefined;
  /** The whole days of both. */
  comparable: Comparable;
  /** The first day with events; null without any. */
  firstDay: Day | null | undefined;
  /** False while "all time" waits for the first day. */
  isKnown: boolean;
  filters: readonly Filter[];
  /** The id of the chosen segment. */
  segment: string | undefined;
  interval: Interval;
  /** True where visits of bots are not in the numbers. */
  leavesBotsOut: boolean;
  /** Project, dates and filters as every report takes them. */
  query: Query;
}

export function useView(): View {
  const search = useSearch({ strict: false }) as ViewSearch;
  const session = useSession();
  const { today } = session;
  const page = useRouterState({ select: ({ location }) => location.pathname.split("/").at(-1) ?? "" });
  const { period = DEFAULT_PERIODS[page] ?? DEFAULT_PERIOD, from, to, compare, cfrom, cto, f, interval, bots } = search;
  const { segment, imported } = search;
  const project = session.project?.id;
  const firstDay = session.project?.firstDay;
  const isSetToLeaveOut = session.project?.excludeBots ?? false;
  const filterTexts = f?.join("\n") ?? "";
  return useMemo(() => {
    const range = rangeOf({ period, from, to }, today, firstDay);
    const comparison = compare ?? (period === "all" ? "off" : DEFAULT_COMPARISON);
    const custom = cfrom !== undefined && cto !== undefined ? { from: cfrom, to: cto } : undefined;
    const filters = filterTexts === "" ? [] : filterTexts.split("\n").flatMap((text) => parseFilter(text) ?? []);
    const allowed = intervalsFor(range);
    const compared = comparedRange(range, comparison, {
      custom,
      period: from === undefined ? period : undefined,
    });
    return {
      project,
      today,
      period,
      moved: period !== "custom" && from !== undefined,
      range,
      comparison,
      compared,
      comparable: comparableRanges(range, compared, today, firstDay),
      firstDay,
      isKnown: period !== "all" || from !== undefined || firstDay !== undefined,
      filters,
      segment,
      interval: interval !== undefined && allowed.includes(interval) ? interval : defaultInterval(range),
      leavesBotsOut: bots === undefined ? isSetToLeaveOut : bots === "exclude",
      query: {
        project_id: project,
        bots,
        imported,
        date_from: range.from,
        date_to: range.to,
        filters: filtersParameter(filters),
        segment,
      },
    };
  }, [
    project,
    firstDay,
    today,
    period,
    from,
    to,
    compare,
    cfrom,
    cto,
    filterTexts,
    segment,
    interval,
    bots,
    imported,
    isSetToLeaveOut,
  ]);
}

/** Changes parameters of the URL; undefined removes one. */
export function useSetSearch(): (patch: RawSearch, options?: { replace?: boolean }) => void {
  const navigate = useNavigate();
  return useCallback(
    (patch, options = {}) => {
      void navigate({
        to: ".",
        // Undefined stays in it: a name that is missing is taken from the page before (see the router).
        search: (before: RawSearch) => ({ ...before, ...patch }),
        replace: options.replace ?? false,
        resetScroll: false,
      } as never);
    },
    [navigate],
  );
}

/** Whether a parameter has this value now, which an answer asks that comes long after its page was drawn. */
export function useIsInUrl(): (name: string, value: string | undefined) => boolean {
  const router = useRouter();
  return useCallback((name, value) => (router.state.location.search as RawSearch)[name] === value, [router]);
}

export function useSetFilters(): (filters: readonly Filter[]) => void {
  const set = useSetSearch();
  return useCallback((filters) => set({ f: filters.length === 0 ? undefined : filters.map(filterText) }), [set]);
}
