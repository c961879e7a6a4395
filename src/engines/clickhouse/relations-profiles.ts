/**
 * The relation `profiles`: the merge of the rows of clean partitions, by their revisions, and of what the events of
 * dirty partitions say. `removed_before` leaves out touches of removed days, which lie in partitions that are kept.
 */
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { PROFILE_COLUMNS, TOUCH_DAYS } from "../../materialize/profile-columns.ts";
import {
  dayColumnsFor,
  PROFILE_DAY_COLUMNS,
  PROFILE_TOUCH_COLUMNS,
  profileDaysSql,
  profileSumsSql,
  profileTouchesSql,
  shownProfiles,
  VISIT_COLUMNS,
} from "../../materialize/profiles.ts";
import type { Cte } from "../relations.ts";

export interface ProfileSources {
  /** Whether there are clean and dirty partitions. */
  readonly clean: boolean;
  readonly dirty: boolean;
  /** Only the wallets in the parameter `profile_addresses`. */
  readonly bySome: boolean;
  /** The events of dirty partitions, and the sessions of all, with at least these columns. */
  readonly dirtyEvents: string;
  sessions(words: ReadonlySet<string>): string;
}

const rowsOf = (table: string, columns: readonly string[], some: string) => `(SELECT ${columns.join(", ")} FROM ${table}
    WHERE project_id IN {profile_projects:Array(String)} AND revision IN {scope_revisions:Array(UInt64)} AND ${some})`;

const IS_KEPT = `seen_day >= transform(
        toString(project_id), {profile_projects:Array(String)}, {profile_removed_before:Array(Date)}, toDate(0))`;

const VISIT_WORDS = new Set<string>([...VISIT_COLUMNS, ...PROFILE_TOUCH_COLUMNS]);

export function profilesCte(sources: ProfileSources): Cte {
  const narrow = (words: ReadonlySet<string>) => profilesOf(sources, words);
  return { name: "profiles", sql: narrow(new Set(PROFILE_COLUMNS)), narrow };
}

function profilesOf(sources: ProfileSources, words: ReadonlySet<string>): string {
  const { clean, dirty, bySome } = sources;
  const some = bySome ? "address IN {profile_addresses:Array(String)}" : "1";
  // Without any partition the clean form has no rows.
  const ofClean = clean || !dirty;
  const merged = profileSumsSql(
    {
      days: [
        ...(ofClean ? [rowsOf("profile_day_rows", PROFILE_DAY_COLUMNS, some)] : []),
        ...(dirty ? [`(\n${profileDaysSql(dirtyEventsOf(sources, some), dayColumnsFor(words))}\n)`] : []),
      ],
      touches: [
        ...(ofClean ? [rowsOf("profile_touch_rows", PROFILE_TOUCH_COLUMNS, `${some} AND ${IS_KEPT}`)] : []),
        ...(dirty ? [`(\n${dirtyTouches(sources, some)}\n)`] : []),
      ],
    },
    words,
  );
  return shownProfiles(`(\n${merged}\n)`, words);
}

const dirtyEventsOf = ({ dirtyEvents }: ProfileSources, some: string) =>
  `(SELECT * FROM ${dirtyEvents} WHERE address != '' AND ${some})`;

function dirtyTouches(sources: ProfileSources, some: string): string {
  const sessions = `(SELECT * FROM (\n${sources.sessions(VISIT_WORDS)}\n) WHERE day >= {profile_visits_from:Date})`;
  return profileTouchesSql({
    sessions,
    due: "(r.project_id, r.day) IN {scope_dirty_days:Array(Tuple(String, Date))}",
    someAddresses: some,
  });
}

/** The first day whose sessions may count through a dirty partition. */
export function visitsFrom(dirtyDays: readonly string[]): string {
  const first = dirtyDays.toSorted()[0] ?? "2100-01-01";
  return dayOf(Math.max(0, Date.parse(first) - TOUCH_DAYS * DAY_MS));
}
