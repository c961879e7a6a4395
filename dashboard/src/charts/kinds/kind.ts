/** A chart as a value: what it asks for, and how the rows of the answer become a drawing and a table. */
import type { Day } from "../../format/days.ts";
import type { DefinitionName } from "../../format/definitions.ts";
import type { Asked } from "../../format/range.ts";
import type { TableData } from "../../format/table.ts";

/** The parameters that a page can give to a report. */
export const VIEW_PARAMETERS = [
  "project_id",
  "bots",
  "imported",
  "filters",
  "segment",
  "date_from",
  "date_to",
  "compare_from",
  "compare_to",
  "interval",
] as const;
export type ViewParameter = (typeof VIEW_PARAMETERS)[number];

/** Project, visits and days: most reports take these. */
export const VIEW = ["project_id", "bots", "imported", "filters", "segment", "date_from", "date_to"] as const;

/** What is drawn of rows, as plain JSON. */
export interface DrawnSpecOf<Type extends string, Look> {
  type: Type;
  title: string;
  /** After the title, in lighter text. */
  note?: string;
  /** "How is this counted?" */
  counted?: DefinitionName;
  look: Look;
}

/**
 * A chart of a page or a board, as plain JSON: which chart, of which report with which parameters, and how it looks.
 * The page adds project, period and filters.
 */
export interface ChartSpecOf<Type extends string, Look> extends DrawnSpecOf<Type, Look> {
  /** The name of the report, as in `/v0/<report>`. */
  report: string;
  params?: Asked;
}

/** What the rows of an answer do not say themselves. */
export interface ChartContext<Look> {
  look: Look;
  /** The parameters that the rows answer: while they are old, not those of the page. */
  asked: Asked;
  today: Day;
  nowMs: number;
  /** Nothing is known of the days before; null without any event, undefined before it is known. */
  firstDay?: Day | null | undefined;
}

/** The answer of one of several questions. */
export interface Part<Row> {
  asked: Asked;
  rows: readonly Row[];
}

export interface ChartKind<Row, Drawing, Look> {
  /** The parameters of the page that its request takes. */
  needs: readonly ViewParameter[];
  /** For a chart of several questions to one report: what each adds to the request. Its rows are then `Part`s. */
  parts?: (asked: Asked) => readonly Asked[];
  /** The properties of its component. */
  drawing: (rows: readonly Row[], context: ChartContext<Look>) => Drawing;
  table: (rows: readonly Row[], context: ChartContext<Look>) => TableData;
  isEmpty: (rows: readonly Row[], context: ChartContext<Look>) => boolean;
  /** What stands in its place before the first answer: a class, or as many grey bars. */
  skeleton: string | number;
  /** What a screen reader calls the region in which a wide drawing scrolls. */
  scrolls?: string;
}
