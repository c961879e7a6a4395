import type { ImportedNote } from "../query/report/imported.ts";
import { cut } from "../webhooks/channels/message.ts";

/** What a report says, as numbers and names: the outbox keeps it, and each channel writes it in its own way. */
export interface Content {
  /** The name of the project or the title of the board. */
  readonly title: string;
  readonly project: { readonly id: string; readonly name: string };
  readonly boardId: string | null;
  readonly every: "week" | "month";
  /** The days that it is about, both included. */
  readonly from: string;
  readonly to: string;
  /** The days that changes are against. */
  readonly before: { readonly from: string; readonly to: string };
  /** The time zone of these days. */
  readonly timezone: string;
  /** What revenue and volume are counted in. */
  readonly moneyUnit: string;
  readonly parts: readonly Part[];
  /** The days of them that another product counted, and that figures or charts have. Absent in a message that an earlier version has queued. */
  readonly imported?: Imported | null;
  /** The day on which it was due, in the zone of its hour, where it is sent more than a day later. */
  readonly lateSince: string | null;
  readonly isTest: boolean;
}

export interface Imported {
  readonly from: string;
  readonly to: string;
  /** The product, or several: `plausible`. */
  readonly source: string;
}

export type Part =
  | { readonly kind: "figures"; readonly figures: readonly Figure[] }
  | { readonly kind: "series"; readonly title: string; readonly format: Format; readonly points: readonly Point[] }
  | {
      readonly kind: "list";
      readonly title: string;
      /** What is counted: "Sessions". */
      readonly measure: string;
      readonly format: Format;
      readonly rows: readonly { readonly name: string; readonly value: number }[];
      /** How many more there are. */
      readonly more: number;
    }
  /** What has no numbers that a mail can show, or none at all. */
  | { readonly kind: "note"; readonly title: string; readonly text: string };

/** The answers that a scheduled report shows, of a project or a board. */
export interface Gathered {
  readonly parts: readonly Part[];
  readonly imported: Imported | null;
}

export interface Figure {
  readonly label: string;
  readonly format: Format;
  readonly value: number;
  /** Null where nothing is known of the days before. */
  readonly before: number | null;
  /** Whether less of it is better. */
  readonly lowerIsBetter: boolean;
}

export interface Point {
  /** A day, or another name of a bucket. */
  readonly name: string;
  readonly value: number;
}

/** An amount is in the unit of the project. */
export type Format = "count" | "amount" | "percent" | "duration";

export const CONTENT_LIMITS = {
  /** Of a board: a mail of more is cut off by some clients (102 KB). */
  charts: 12,
  rows: 8,
  /** A month of days, or 12 months by week. */
  points: 53,
  nameChars: 120,
} as const;

/** Of what some answers say of imported days: all that one of them has. */
export function joinImported(notes: readonly (ImportedNote | undefined)[]): Imported | null {
  const had = notes.filter((note) => note?.included === true);
  const days = had.flatMap((note) => (note === undefined ? [] : [note.from, note.to])).sort();
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined) return null;
  const sources = new Set(had.flatMap((note) => note?.source.split(", ") ?? []));
  return { from, to, source: [...sources].sort().join(", ") };
}

/** A name that is shown: clients choose values, and some choose long ones. */
export function cutName(text: string): string {
  return cut(text.replace(UNSEEN, "\uFFFD"), CONTENT_LIMITS.nameChars);
}

/** Controls, and marks that turn the direction of the text after them. */
const UNSEEN = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;
