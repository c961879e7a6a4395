/** What the kinds of charts give to their components, apart from them so that a kind needs no component. */

import type { CohortInterval } from "../../../src/contract/retention.ts";
import type { Format } from "../format/numbers.ts";
import type { Interval } from "../format/range.ts";
import type { TableData } from "../format/table.ts";
import type { Cohort } from "./cohorts.ts";
import type { FlowNode, FlowRow, Through } from "./flow-data.ts";
import type { TimePoint } from "./time-point.ts";

export interface HeatTableProps {
  label: string;
  columns: readonly string[];
  rows: readonly { label: string; values: readonly number[] }[];
  format: Format;
}

export interface RetentionTableProps {
  cohorts: readonly Cohort[];
  interval?: CohortInterval;
  /** The most columns. */
  most?: number;
}

export interface Annotation {
  index: number;
  text: string;
}

export interface TimeChartProps {
  label: string;
  points: readonly TimePoint[];
  format: Format;
  bars?: boolean;
  height?: number;
  annotations?: readonly Annotation[];
  /** Called with the first and last index of a part that was marked by dragging. */
  onZoom?: ((from: number, to: number) => void) | undefined;
  onPoint?: ((index: number) => void) | undefined;
}

export interface FunnelStep {
  label: string;
  count: number;
  /** Of the step before; null for the first. */
  fromPrevious: number | null;
  fromStart: number | null;
  medianSeconds: number | null;
}

/** What a share of a funnel is of, and its words. */
export const SHARES = { first: "of the first step", before: "of the step before" } as const;
export type ShareOf = keyof typeof SHARES;

export interface RankedRow {
  /** What the row is of. Two rows may have the same: an empty country and "unknown" are both unknown. */
  key: string;
  name: string;
  /** Null: it has none, such as the conversion of nobody. */
  value: number | null;
  /** What a filter by this row compares with; undefined where it cannot be filtered. */
  filter?: { field: string; value: string } | undefined;
}

export interface MapProps {
  /** Two-letter code of a country -> value. */
  values: ReadonlyMap<string, number>;
  format: Format;
  onChoose?: ((code: string, exclude: boolean) => void) | undefined;
}

export interface Mover {
  key: string;
  name: string;
  now: number;
  before: number;
  difference: number;
}

export interface MoverListsProps {
  up: readonly Mover[];
  down: readonly Mover[];
  format: Format;
  /** The change of the whole, if the differences add up to it. */
  total?: number | undefined;
}

export interface FunnelGroup {
  value: string;
  name: string;
  /** A share of the first step or of the one before; null for the first. */
  steps: readonly { users: number; share: number | null }[];
}

export interface FunnelGroupsProps {
  label: string;
  steps: readonly string[];
  groups: readonly FunnelGroup[];
}

export interface FlowChartProps {
  rows: readonly FlowRow[];
  /** The boxes that the shown paths go through. */
  through?: Through;
  onNode?: (node: FlowNode) => void;
}

export const OUTCOMES = ["stored", "duplicate", "parked", "refused"] as const;

export type OutcomeRow = Readonly<Record<"received" | (typeof OUTCOMES)[number], number> & { at: string }>;

export interface SeriesPlace {
  /** Its name in the tooltip. */
  label: string;
  axis: string;
}

export interface Series {
  name: string;
  /** One for each place; null where it has none. */
  values: readonly (number | null)[];
  /** Of the days that are compared with. */
  isBefore?: boolean;
}

export interface SeriesChartProps {
  label: string;
  places: readonly SeriesPlace[];
  series: readonly Series[];
  shape: "line" | "area" | "bar";
  /** The series stand on each other. */
  isStacked: boolean;
  /** As many columns or groups have no colour left. */
  left?: number;
  leftName?: "column" | "group";
  /** The places are all buckets of the days that were asked for: their step. */
  filledBy?: Interval;
  format: Format;
  height?: number;
  /** Its name is needed also where there is one series only. */
  hasLegend?: boolean;
}

export interface RankedListProps {
  rows: readonly RankedRow[];
  format: Format;
  /** As many rows have no room. */
  left: number;
}

export type BarChartProps = SeriesChartProps | RankedListProps;

export interface PieChartProps {
  label: string;
  slices: readonly { name: string; value: number }[];
  /** As many parts have no colour left, and cannot be added up. */
  left: number;
  format: Format;
}

export interface NumberCardProps {
  name: string;
  value: number | string | null;
  format: Format;
}

export interface TableProps {
  table: TableData;
  label: string;
}
