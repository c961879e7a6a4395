/**
 * The SQL of profiles, common to both engines. A partition has two derived relations: `profile_days`, what its events
 * say of each wallet, and `profile_touches`, the sessions that count as touches of its wallets. A profile is their merge
 * over all partitions of the project. No row knows anything of other days but touches of the 30 days before it, each
 * under its own day: so a profile is that of the days that the project holds, whether earlier ones were removed or never
 * were. Rows that carry the state of all earlier days would still know what was removed, and a rebuild would not.
 */
import { fillSql, readSqlParts, withParts } from "../lib/sql.ts";
import { keepColumns, wordsOf } from "../lib/sql-columns.ts";
import { isSignature, isTransaction } from "./columns.ts";
import { PROFILE_COLUMNS, PROFILE_KINDS, TOUCH_COLUMNS, TOUCH_DAYS } from "./profile-columns.ts";

const partOf = readSqlParts(new URL("./profiles.sql", import.meta.url));

/** The session `v` shows how its visitor arrived. */
const HAS_SIGNAL = `(v.channel NOT IN ('Direct', '') OR v.paid_source != '' OR v.referrer != '' OR v.ref != ''
        OR v.utm_source != '' OR v.utm_medium != '' OR v.utm_campaign != '' OR v.utm_term != '' OR v.utm_content != '')`;

const NO_TOUCH = listOf(TOUCH_COLUMNS.map(() => "''"));

/** The columns of `profile_days` and `profile_touches`, in order. */
export const PROFILE_DAY_COLUMNS = namesOf(partOf("days"));
export const PROFILE_TOUCH_COLUMNS = [
  ...["project_id", "day", "address", "seen_day", "touch_rank", "has_signal"],
  ...TOUCH_COLUMNS,
] as const;

/** The columns of sessions that touches read. */
export const VISIT_COLUMNS: readonly string[] = [
  ...["project_id", "day", "session", "visitor", "started_at", "addresses", "origin"],
  ...TOUCH_COLUMNS,
];

/** A SELECT of rows of `profile_days`. `events` is a relation in which every event has an address. */
export function profileDaysSql(events: string, wanted?: ReadonlySet<string>): string {
  const filled = fillSql(partOf("of_day"), {
    events,
    is_transaction: isTransaction("e"),
    is_signature: isSignature("e"),
  });
  const days = wanted === undefined ? partOf("days") : keepColumns(partOf("days"), wanted);
  const ofDay = wanted === undefined ? filled : keepColumns(filled, wordsOf(days));
  return withParts([{ name: "of_day", sql: ofDay }], days);
}

export interface TouchSources {
  /** A relation with the sessions of the wanted partitions and of the 30 days before them. */
  readonly sessions: string;
  /** Which partitions are wanted, of a row `r` with project_id and day. */
  readonly due: string;
  /** Which of the addresses. */
  readonly someAddresses?: string;
}

/** A SELECT of rows of `profile_touches`. */
export function profileTouchesSql({ sessions, due, someAddresses = "1 = 1" }: TouchSources): string {
  const reaches = fillSql(partOf("reaches"), { sessions, some_addresses: someAddresses });
  const touches = fillSql(partOf("touches"), {
    sessions,
    due,
    has_signal: HAS_SIGNAL,
    touch_days: String(TOUCH_DAYS),
    columns: TOUCH_COLUMNS.map((name) => `v.${name} AS ${name}`).join(",\n    "),
  });
  return withParts([{ name: "reaches", sql: reaches }], touches);
}

const OF_SLICE = "cityHash64(address) % {slices:UInt64} = {slice:UInt64}";
const GROUP_PARTS = readSqlParts(new URL("./rollup_group.sql", import.meta.url));
const VISITS = fillSql(GROUP_PARTS("visits"), {
  touch_days: String(TOUCH_DAYS),
  due_sessions: `(${GROUP_PARTS("sessions")})`,
});

/**
 * Each SELECT returns the columns of its table, for one slice of the partitions of a group (rollup_group.sql). Slices are
 * by address, so that their rows are those of the whole.
 */
export const PROFILES = {
  profile_days: profileDaysSql(`(SELECT * FROM (${GROUP_PARTS("events")}) AS g WHERE address != '' AND ${OF_SLICE})`),
  profile_touches: profileTouchesSql({
    sessions: `(${VISITS})`,
    due: "r.day >= v.due_from",
    someAddresses: OF_SLICE,
  }),
} as const;

/** Relations whose rows are merged. */
export interface ProfileParts {
  readonly days: readonly string[];
  readonly touches: readonly string[];
  /** Rows that were merged before. */
  readonly sums?: readonly string[];
}

/** The merge has all columns, or only those of these names. */
export function profileSumsSql({ days, touches, sums = [] }: ProfileParts, wanted?: ReadonlySet<string>): string {
  const { kept, merged } = mergeOf(wanted);
  const names = wordsOf(merged);
  const parts = [
    ...days.map(partOfDays),
    ...(readsTouches(names) ? touches.map(partOfTouches) : []),
    ...sums.map(partOfSums),
  ];
  const branches = parts.map((sql) => keepColumns(sql, names));
  return withParts(
    [
      { name: "parts", sql: branches.join("\nUNION ALL\n") },
      { name: "merged", sql: merged },
    ],
    kept,
  );
}

/** The columns of `profile_days` that the merge reads for these columns of profiles. */
export function dayColumnsFor(wanted: ReadonlySet<string>): ReadonlySet<string> {
  return wordsOf(keepColumns(partOfDays("days"), wordsOf(mergeOf(wanted).merged)));
}

function mergeOf(wanted: ReadonlySet<string> | undefined): { kept: string; merged: string } {
  const all = fillSql(partOf("sums"), { touches: [...ofTouch("first"), ...ofTouch("last")].join(",\n    ") });
  const kept = wanted === undefined ? all : keepColumns(all, new Set(["project_id", "address", ...wanted]));
  return { kept, merged: keepColumns(partOf("merged"), wordsOf(kept)) };
}

/** Whether one of these names is a column of a touch. */
export function readsTouches(names: ReadonlySet<string>): boolean {
  return TOUCH_NAMES.some((name) => names.has(name));
}

const TOUCH_NAMES = [
  ...["first_touch", "last_touch", "first_touch_rank", "last_touch_rank"],
  ...TOUCH_COLUMNS.flatMap((name) => [`first_${name}`, `last_${name}`]),
];

/** The columns of the relation `profiles`, of merged rows. */
export function shownProfiles(
  sums: string,
  wanted: ReadonlySet<string> = new Set(PROFILE_COLUMNS),
  shownMoney = (name: string) => `toFloat64(u.${name}) / 1e9`,
): string {
  const always = new Set(["project_id", "address"]);
  const columns = PROFILE_COLUMNS.filter((name) => wanted.has(name) || always.has(name)).map((name) =>
    PROFILE_KINDS[name] === "money" ? `${shownMoney(name)} AS ${name}` : `u.${name} AS ${name}`,
  );
  return `SELECT\n    ${columns.join(",\n    ")}\nFROM ${sums} AS u`;
}

function partOfDays(relation: string): string {
  return fillSql(partOf("parts_of_days"), { days: relation, no_touch: NO_TOUCH });
}

function partOfTouches(relation: string): string {
  return fillSql(partOf("parts_of_touches"), {
    touches: relation,
    touch: listOf(TOUCH_COLUMNS.map((name) => `t.${name}`)),
    // Both engines know the type of an empty list from a list with something in it.
    no_texts: "if(t.day = t.day, [], [t.address])",
    no_days: "if(t.day = t.day, [], [t.day])",
  });
}

function partOfSums(relation: string): string {
  const touch = (which: string) => listOf(TOUCH_COLUMNS.map((name) => `u.${which}_${name}`));
  return fillSql(partOf("parts_of_sums"), {
    sums: relation,
    first_touch: touch("first"),
    last_touch: touch("last"),
  });
}

function ofTouch(which: string): string[] {
  return TOUCH_COLUMNS.map((name, at) => `m.${which}_touch[${at + 1}] AS ${which}_${name}`);
}

function listOf(texts: readonly string[]): string {
  return `[${texts.join(", ")}]`;
}

function namesOf(sql: string): readonly string[] {
  return [...sql.matchAll(/ AS (\w+)(?=,|\nFROM)/g)].map(([, name = ""]) => name);
}
