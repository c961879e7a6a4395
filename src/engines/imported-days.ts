/** Sums of days that another product counted: one row for a value of a dimension on a day. */

export interface ImportedDay {
  readonly project_id: string;
  readonly import_id: string;
  /** `total`, or a column of reports. */
  readonly dimension: string;
  readonly day: string;
  readonly value: string;
  /** Of a page its path, where `value` is its host; of an event its name. */
  readonly detail: string;
  readonly visitors: number;
  readonly visits: number;
  readonly pageviews: number;
  readonly bounces: number;
  readonly duration_ms: number;
}

export const IMPORTED_DAY_TEXTS = ["project_id", "import_id", "dimension", "day", "value", "detail"] as const;
export const IMPORTED_DAY_NUMBERS = ["visitors", "visits", "pageviews", "bounces", "duration_ms"] as const;
export const IMPORTED_DAY_COLUMNS = [...IMPORTED_DAY_TEXTS, ...IMPORTED_DAY_NUMBERS] as const;

/** Which of them are removed: one import, or all of a project. */
export interface ImportOfDays {
  readonly projectId: string;
  readonly importId?: string;
}
