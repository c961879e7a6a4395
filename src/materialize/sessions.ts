/**
 * The SQL of sessions, common to both engines: used by the writer, which stores `sessions`, and by reports that compute
 * them from events.
 */
import { fillSql, readSqlParts, withParts } from "../lib/sql.ts";
import { keepColumns, withReadColumns } from "../lib/sql-columns.ts";
import { isSignature, isTransaction } from "./columns.ts";

const partOf = readSqlParts(new URL("./sessions.sql", import.meta.url));

export interface SessionSources {
  /** A relation with the columns of `events`, and `rowid`. */
  readonly events: string;
  /** Existing rows of the same sessions, with earlier events, and their `rowid`. */
  readonly sessions?: string;
}

/** A SELECT of all columns of `sessions` in their order, for an engine with row ids. */
export function sessionsSql({ events, sessions }: SessionSources): string {
  const parts = [partsOfEvents(events, { ...STORED, more: "" })];
  const touches = [fillSql(partOf("touches_of_events"), { events })];
  const spans = [fillSql(partOf("spans_of_events"), { events, long: sessions === undefined ? "1 = 1" : isLong("e") })];
  if (sessions !== undefined) {
    parts.push(fillSql(partOf("parts_of_sessions"), { sessions }));
    touches.push(fillSql(partOf("touches_of_sessions"), { sessions }));
    spans.push(fillSql(partOf("spans_of_sessions"), { sessions, long: isLong("k") }));
  }
  const ctes = [
    { name: "parts", sql: parts.join("\nUNION ALL\n") },
    { name: "of_session", sql: partOf("of_session") },
    { name: "of_visitor", sql: partOf("of_visitor") },
    { name: "spans", sql: spans.join("\nUNION ALL\n") },
    { name: "gaps", sql: partOf("gaps") },
    { name: "active", sql: fillSql(partOf("active"), { whole: "of_session" }) },
    { name: "touches", sql: touches.join("\nUNION ALL\n") },
    { name: "joined", sql: partOf("joined") },
  ];
  return ofStored(ctes, "joined");
}

const LISTS = ["chains", "rdns_names", "addresses", "pages"] as const;

export interface MergedSources extends Required<SessionSources> {
  /** The project and session of those that are longer than a gap, if there are any. */
  readonly long?: string;
}

/**
 * The same SELECT where each session has one visitor: new events are grouped once, and each existing row is read once and
 * meets what is new of its session. It takes a third of the time of the other, which groups the parts of all sessions
 * twice.
 */
export function mergedSessionsSql({ events, sessions, long }: MergedSources): string {
  const lists = Object.fromEntries(LISTS.map((list) => [list, fillSql(partOf("unique"), { list })]));
  const ctes = [
    { name: "parts", sql: partsOfEvents(events, { ...STORED, more: partOf("texts_of_events") }) },
    { name: "of_new", sql: partOf("of_new") },
    { name: "touches", sql: fillSql(partOf("touches_of_events"), { events }) },
    { name: "merged", sql: fillSql(partOf("merged"), { sessions, ...lists }) },
  ];
  if (long === undefined) return ofStored([...ctes, { name: "active", sql: partOf("without_gaps") }], "active");
  const spans = [
    fillSql(partOf("spans_of_events"), { events, long: `(e.project_id, e.session) IN (${long})` }),
    fillSql(partOf("spans_of_sessions"), { sessions, long: `(k.project_id, k.session) IN (${long})` }),
  ];
  ctes.push(
    { name: "spans", sql: spans.join("\nUNION ALL\n") },
    { name: "gaps", sql: partOf("gaps") },
    { name: "active", sql: fillSql(partOf("active"), { whole: "merged" }) },
  );
  return ofStored(ctes, "active");
}

/** Of an engine with row ids. */
const STORED = { part: "e.rowid", received: "e.received_at" };

function partsOfEvents(events: string, own: typeof STORED & { more: string }): string {
  const counted = { is_transaction: isTransaction("e"), is_signature: isSignature("e") };
  return fillSql(partOf("parts_of_events"), { events, ...counted, ...own });
}

function ofStored(ctes: readonly { name: string; sql: string }[], whole: string): string {
  const more = ",\n    v.received_to AS received_to";
  return withParts(ctes, fillSql(partOf("sessions"), { whole, touch: partOf("touch_of_part"), more }));
}

/**
 * The same SELECT from events alone, for an engine that computes a CTE again for each reader: it reads the events twice,
 * where the other reads them three times. Not once: ordering whole events by time to find gaps would take the memory of
 * all their columns. With only some of the columns it names fewer, and it reads the events once where none of them needs
 * the gaps: the planner of ClickHouse looks at every expression, whether or not something reads it.
 */
export function sessionsInTwoReads(events: string, wanted?: ReadonlySet<string>): string {
  const hasGaps = wanted === undefined || OF_GAPS.some((name) => wanted.has(name));
  const ctes = [
    { name: "parts", sql: withTouch(partsOfEvents(events, { part: "0", received: "0", more: "" }), wanted) },
    { name: "of_visitor_alone", sql: partOf("of_visitor_alone") },
    { name: "whole_alone", sql: partOf("whole_alone") },
    ...(hasGaps
      ? [
          { name: "spans", sql: fillSql(partOf("spans_of_events"), { events, long: "1 = 1" }) },
          { name: "gaps", sql: partOf("gaps") },
          { name: "joined_alone", sql: partOf("joined_alone") },
        ]
      : []),
  ];
  const sessions = fillSql(partOf("sessions"), {
    whole: hasGaps ? "joined_alone" : "whole_alone",
    touch: partOf("touch_of_list"),
    more: "",
  });
  if (wanted === undefined) return withParts(ctes, sessions);
  return withReadColumns(ctes, keepColumns(sessions, wanted));
}

/** The list of a touch with empty texts in place of columns that nobody reads. `channel` is the acquisition of events. */
function withTouch(parts: string, wanted: ReadonlySet<string> | undefined): string {
  if (wanted === undefined) return parts;
  return parts.replace(/\[([^[\]]*)\] AS touch/, (_, list: string) => {
    const items = list.split(",").map((item) => {
      const name = item.trim().slice(2);
      return wanted.has(name === "acquisition" ? "channel" : name) ? item : " ''";
    });
    return `[${items.join(",")}] AS touch`;
  });
}

/** Columns that need the gaps between the events of a session. */
const OF_GAPS = ["active_ms", "is_bounce", "gap_starts", "gap_ends"];

/**
 * A merge looks for gaps only in sessions that are longer than one: for all sessions of a batch it took 70 of 1,000 ms.
 * Where sessions are computed from events alone, every session is searched: ClickHouse would read the events once more
 * to find the long ones.
 */
function isLong(relation: string): string {
  return `(${relation}.project_id, ${relation}.session) IN (SELECT project_id, session FROM of_session
    WHERE toUnixTimestamp64Milli(ended_at) - toUnixTimestamp64Milli(started_at) > 1800000)`;
}
