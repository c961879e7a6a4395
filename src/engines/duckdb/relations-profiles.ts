/**
 * The relation `profiles`. Most wallets are plain: their profile is their row of `profile_sums`. The others are changed:
 * they have events on dirty days, or their row is stale. A changed wallet is merged here, of its valid row, or its rows of
 * clean partitions, and of what the events of dirty days say of it.
 *
 * Which rows of `profile_sums` are those of changed wallets is decided by their keys (wallet-key.ts), for the plain ones
 * as for the others. So a wallet that only has the key of a changed one is merged, too, from its row alone, and each
 * wallet is in one of the two halves whatever the keys are.
 *
 * The changed wallets are thousands, and computing them takes most of a statement's time: they are a relation that the
 * engine can keep (kept-relations.ts) for as long as nothing changes. Then a search reads them and the plain ones.
 */
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { withParts } from "../../lib/sql.ts";
import { PROFILE_COLUMNS, type ProfileColumn, TOUCH_DAYS } from "../../materialize/profile-columns.ts";
import {
  dayColumnsFor,
  profileDaysSql,
  profileSumsSql,
  profileTouchesSql,
  readsTouches,
  shownProfiles,
  VISIT_COLUMNS,
} from "../../materialize/profiles.ts";
import type { Cte, FoundRelations } from "../relations.ts";
import { KEPT_RELATION } from "../select.ts";
import { ASKED_ROWS, askedFor, walletKey } from "./wallet-key.ts";

const OF_PROJECT = "project_id = {profile_project:String}";

const SCOPE = `SELECT
    coalesce((SELECT clean_through FROM rollup_state WHERE ${OF_PROJECT}), DATE '1969-12-31') + 1 AS dirty_from`;

/** One value: DuckDB makes a bound of it, and skips the row groups of other days. */
const DIRTY_FROM = "(SELECT dirty_from FROM profile_scope)";

const dirtyEvents = (isWanted: string) => `(SELECT e.* FROM events AS e
    WHERE e.${OF_PROJECT} AND e.day >= ${DIRTY_FROM} AND e.address != '' AND ${isWanted})`;

/** Of the visitors with a wallet on a dirty day. */
const visits = (isWanted: string) => `SELECT ${VISIT_COLUMNS.map((name) => `v.${name} AS ${name}`).join(", ")}
FROM sessions AS v
WHERE v.${OF_PROJECT} AND v.day >= ${DIRTY_FROM} - ${TOUCH_DAYS}
    AND v.visitor IN (SELECT e.visitor FROM ${dirtyEvents(isWanted)} AS e)`;

const ALL_ROWS = "profile_sums";
const isOne = (of: string) => `${of}.address IN {profile_addresses:Array(String)}`;

const stale = (sums: string, isWanted: string) => `SELECT u.address AS address, u.wallet_key AS wallet_key
FROM ${sums} AS u
WHERE u.${OF_PROJECT} AND u.last_day >= ${DIRTY_FROM} AND ${isWanted}`;

const ofStale = (table: string) => `(SELECT t.* FROM ${table} AS t
    SEMI JOIN stale AS a ON a.address = t.address
    WHERE t.${OF_PROJECT} AND t.day < ${DIRTY_FROM})`;

const CHANGED_KEYS = `SELECT ${walletKey("d.address")} AS wallet_key FROM (SELECT DISTINCT address FROM dirty_days) AS d
UNION
SELECT wallet_key FROM stale`;

/** Stale ones have keys of changed wallets, too. */
const plainRows = (changed: string, sums: string, isWanted: string) => `(SELECT u.* FROM ${sums} AS u
    ANTI JOIN ${changed} AS k ON k.wallet_key = u.wallet_key
    WHERE u.${OF_PROJECT} AND ${isWanted})`;

const OF_CHANGED = `(SELECT u.* FROM profile_sums AS u
    SEMI JOIN changed_keys AS k ON k.wallet_key = u.wallet_key
    WHERE u.${OF_PROJECT} AND u.last_day < ${DIRTY_FROM})`;

/** With `addresses` only those wallets: every scan leaves the others out. */
export function profileRelations(
  project: string,
  addresses: readonly string[] | undefined,
): Pick<FoundRelations, "params"> & Required<Pick<FoundRelations, "ctes" | "kept">> {
  const [computed, kept] = addresses === undefined ? [allProfiles, allFromKept] : [someProfiles, someFromKept];
  return {
    ctes: [cteOf(computed, addresses)],
    params: { profile_project: project, ...(addresses && { profile_addresses: addresses }) },
    kept: { ...CHANGED, ctes: [cteOf(kept, addresses)] },
  };
}

function cteOf(write: Write, addresses: readonly string[] | undefined): Cte {
  const known = written(write);
  const narrow: Write = (words) => (addresses === undefined ? known(words) : askedFor(known(words), addresses));
  return { name: "profiles", sql: narrow(ALL_WORDS), narrow };
}

type Write = (words: ReadonlySet<string>) => string;
const texts = new Map<Write, Write>();

/** The text with these columns takes milliseconds to write, and is the same for many statements. */
function written(write: Write): Write {
  const known = texts.get(write);
  if (known !== undefined) return known;
  const bySet = new BoundedCache<string>(200);
  const find: Write = (words) => {
    const columns = PROFILE_COLUMNS.filter((name) => words.has(name));
    const key = columns.join();
    const found = bySet.find(key);
    if (found !== undefined) return found;
    const text = write(new Set(columns));
    bySet.put(key, text);
    return text;
  };
  texts.set(write, find);
  return find;
}

function allProfiles(words: ReadonlySet<string>): string {
  return withParts(
    [...changedParts(() => "1 = 1", ALL_ROWS, words), { name: "changed_keys", sql: CHANGED_KEYS }],
    `${plainProfiles("changed_keys", ALL_ROWS, "1 = 1", words)}\nUNION ALL\n${mergedProfiles(OF_CHANGED, words)}`,
  );
}

/** All of them are merged, from one part or from several: that takes a smaller plan than to tell them apart. */
function someProfiles(words: ReadonlySet<string>): string {
  const valid = `(SELECT u.* FROM ${ASKED_ROWS} AS u
    WHERE u.${OF_PROJECT} AND ${isOne("u")} AND u.last_day < ${DIRTY_FROM})`;
  return withParts(changedParts(isOne, ASKED_ROWS, words), mergedProfiles(valid, words));
}

const plainProfiles = (changed: string, sums: string, isWanted: string, words: ReadonlySet<string>) =>
  shownProfiles(plainRows(changed, sums, isWanted), words, (name) => `u.${name}_shown`);

function mergedProfiles(sums: string, words: ReadonlySet<string>): string {
  const merged = profileSumsSql(
    {
      days: ["dirty_days", ofStale("profile_days")],
      touches: ["dirty_touches", ofStale("profile_touches")],
      sums: [sums],
    },
    words,
  );
  return shownProfiles(`(\n${merged}\n)`, words);
}

function changedParts(isWanted: (of: string) => string, sums: string, words: ReadonlySet<string>): Cte[] {
  return [
    { name: "profile_scope", sql: SCOPE },
    { name: "dirty_days", sql: profileDaysSql(dirtyEvents(isWanted("e")), dayColumnsFor(words)) },
    ...(readsTouches(words) ? dirtyTouches(isWanted) : []),
    { name: "stale", sql: stale(sums, isWanted("u")) },
  ];
}

function dirtyTouches(isWanted: (of: string) => string): Cte[] {
  const touches = profileTouchesSql({
    sessions: "visits",
    due: `r.day >= ${DIRTY_FROM}`,
    someAddresses: isWanted("pairs"),
  });
  return [
    { name: "visits", sql: visits(isWanted("e")) },
    { name: "dirty_touches", sql: touches },
  ];
}

const ALL_WORDS: ReadonlySet<string> = new Set(PROFILE_COLUMNS);

/**
 * What decides the changed wallets: the state of the projects, the events of dirty days, the sessions that may be touches
 * of their visitors, and the stale rows. Sessions and merged rows of clean days change with the state alone, or are removed.
 * A table is made of no wallets, too: so there is always one more.
 */
const MARK = withParts(
  [{ name: "profile_scope", sql: SCOPE }],
  `SELECT concat_ws(' ', r.state, e.n, e.keys, v.n, u.n, u.keys) AS mark, 1 + e.wallets + u.n AS n
FROM
(
    SELECT sum(hash(t.clean_through, t.removed_before, t.dirty_at)) AS state
    FROM rollup_state AS t
    WHERE t.${OF_PROJECT}
) AS r,
(
    SELECT
        count(*) AS n,
        coalesce(sum(hash(e.dedupe_key, e.session)), 0) AS keys,
        approx_count_distinct(e.address) FILTER (WHERE e.address != '') AS wallets
    FROM events AS e
    WHERE e.${OF_PROJECT} AND e.day >= ${DIRTY_FROM}
) AS e,
(
    SELECT count(*) AS n FROM sessions AS v WHERE v.${OF_PROJECT} AND v.day >= ${DIRTY_FROM} - ${TOUCH_DAYS}
) AS v,
(
    SELECT count(*) AS n, coalesce(sum(hash(u.wallet_key, u.last_day)), 0) AS keys
    FROM profile_sums AS u
    WHERE u.${OF_PROJECT} AND u.last_day >= ${DIRTY_FROM}
) AS u`,
);

/**
 * With all columns, for all searches. All keys are in it once more, without a wallet: nothing may be left of a stale row,
 * because its events were removed, and then no wallet has its key.
 */
const CHANGED = {
  rows: withParts(
    [...changedParts(() => "1 = 1", ALL_ROWS, ALL_WORDS), { name: "changed_keys", sql: CHANGED_KEYS }],
    `SELECT ${walletKey("c.address")} AS wallet_key, c.* FROM (\n${mergedProfiles(OF_CHANGED, ALL_WORDS)}\n) AS c
UNION ALL BY NAME
SELECT wallet_key FROM changed_keys`,
  ),
  mark: MARK,
  // A request for a page asks three times.
  worthAfter: 3,
} as const;

function allFromKept(words: ReadonlySet<string>): string {
  return `${plainProfiles(KEPT_RELATION, ALL_ROWS, "1 = 1", words)}\nUNION ALL\n${fromKept("c.address IS NOT NULL", words)}`;
}

function someFromKept(words: ReadonlySet<string>): string {
  const plain = plainProfiles(KEPT_RELATION, ASKED_ROWS, isOne("u"), words);
  return `${plain}\nUNION ALL\n${fromKept(isOne("c"), words)}`;
}

/** In the order of shownProfiles. */
function fromKept(isWanted: string, words: ReadonlySet<string>): string {
  const always: readonly ProfileColumn[] = ["project_id", "address"];
  const columns = PROFILE_COLUMNS.filter((name) => words.has(name) || always.includes(name));
  return `SELECT ${columns.map((name) => `c.${name} AS ${name}`).join(", ")} FROM ${KEPT_RELATION} AS c WHERE ${isWanted}`;
}
