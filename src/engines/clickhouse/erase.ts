/**
 * Erases a wallet: its events, those of visitors that used no other wallet, and what the app said of it. Its partitions
 * are marked dirty before the events are deleted, so that no report reads materialized rows of them, and again
 * afterwards, because a mutation may take longer than a mark lasts. An interrupted run is repeated as a whole.
 */

import type { EventPartition } from "../batch.ts";
import type { Erased, ErasedWallet } from "../maintenance.ts";
import { isFoundInTexts } from "../parked-row.ts";
import { localTable } from "./cluster-ddl.ts";
import type { Clickhouse } from "./database.ts";
import { insertLedger } from "./insert-ledger.ts";
import { LATE, type Marks } from "./mark-dirty.ts";

interface Target {
  readonly clickhouse: Clickhouse;
  readonly marks: Marks;
}

const OF_WALLET = "project_id = {project:String} AND address = {address:String}";
const OF_EVENTS = `project_id = {project:String}
    AND (address = {address:String} OR (anonymous_id != '' AND anonymous_id IN {visitors:Array(String)}))`;
/** Derived rows with the address, also of superseded revisions. No report reads those of a partition that is marked. */
const DERIVED = {
  session_rows: "project_id = {project:String} AND has(addresses, {address:String})",
  profile_day_rows: OF_WALLET,
  profile_touch_rows: OF_WALLET,
} as const;

export async function eraseWallet(
  { clickhouse, marks }: Target,
  { projectId, address }: ErasedWallet,
  signal: AbortSignal,
): Promise<Erased> {
  const wallet = { project: projectId, address };
  const select = async <T>(sql: string, params: object) => {
    return (await clickhouse.select<T>(sql, { params: { ...params }, signal })).rows;
  };
  const found = await select<{ anonymous_id: string }>(FIND_VISITORS, wallet);
  const visitors = found.map(({ anonymous_id }) => anonymous_id);
  const params = { ...wallet, visitors };
  const remove = async (table: string, where: string, more: object = params) => {
    const sql = `ALTER TABLE ${localTable(table, clickhouse.cluster)} DELETE WHERE ${where}`;
    await clickhouse.command(sql, { params: { ...more }, settings: { mutations_sync: 2 }, signal });
  };
  const partitions = await select<EventPartition>(FIND_PARTITIONS, params);
  const counts = await select<Count>(COUNT_EVENTS, params);
  await marks.mark(partitions, LATE, signal);
  // Before the events: a mutation goes on after a crash of ours, and afterwards nobody could count them.
  await insertLedger(clickhouse, counts.map(toEntry(projectId)), signal);
  await remove("events_rows", OF_EVENTS);
  for (const [table, where] of Object.entries(DERIVED)) await remove(table, where, wallet);
  await marks.mark(partitions, LATE, signal);
  const [said] = await select<Pick<Erased, "properties" | "labels" | "parked">>(COUNT_SAID, wallet);
  for (const table of ["wallet_property_rows", "wallet_label_rows"]) await remove(table, OF_WALLET, wallet);
  const parked = isFoundInTexts(address) ? await select<{ id: string }>(FIND_PARKED, wallet) : [];
  const ids = { project: projectId, ids: parked.map(({ id }) => id) };
  if (parked.length > 0)
    for (const table of ["parked_rows", "parked_pieces"])
      await remove(table, "project_id = {project:String} AND id IN {ids:Array(String)}", ids);
  return {
    events: counts.reduce((sum, { n }) => sum + n, 0),
    visitors: visitors.length,
    properties: said?.properties ?? 0,
    labels: said?.labels ?? 0,
    parked: parked.length,
  };
}

/** Visitors that were seen with the wallet and with no other. */
const FIND_VISITORS = `SELECT anonymous_id
FROM events
WHERE project_id = {project:String} AND anonymous_id != ''
    AND anonymous_id IN (SELECT anonymous_id FROM events WHERE ${OF_WALLET})
GROUP BY anonymous_id
HAVING countIf(address != '' AND address != {address:String}) = 0`;

const FIND_PARTITIONS = `SELECT DISTINCT toString(project_id) AS project_id, toString(day) AS day, toString(dedupe_day) AS dedupe_day
FROM events_rows WHERE ${OF_EVENTS}`;

const COUNT_EVENTS = `SELECT intDiv(toUnixTimestamp64Milli(received_at), 60000) * 60 AS minute, toString(day) AS of_day, count() AS n,
    toString(groupBitXor(dedupe_key)) AS keys
FROM events WHERE ${OF_EVENTS} GROUP BY minute, of_day`;

const COUNT_SAID = `SELECT
    (SELECT count() FROM wallet_properties WHERE ${OF_WALLET}) AS properties,
    (SELECT count() FROM wallet_labels WHERE ${OF_WALLET}) AS labels`;

/** An address that lies in two pieces of a text has at most all but one of its characters in each. */
const FIND_PARKED = `SELECT DISTINCT id FROM parked_raw
WHERE project_id = {project:String} AND positionCaseInsensitiveUTF8(text, {address:String}) > 0
UNION DISTINCT
SELECT p.id AS id
FROM (SELECT id, nth, rightUTF8(text, lengthUTF8({address:String}) - 1) AS text
    FROM parked_raw WHERE project_id = {project:String}) AS p
INNER JOIN (SELECT id, nth, leftUTF8(text, lengthUTF8({address:String}) - 1) AS text
    FROM parked_raw WHERE project_id = {project:String} AND nth > 0) AS n ON n.id = p.id AND n.nth = p.nth + 1
WHERE positionCaseInsensitiveUTF8(concat(p.text, n.text), {address:String}) > 0`;

interface Count {
  readonly minute: number;
  readonly of_day: string;
  readonly n: number;
  /** Of which events. */
  readonly keys: string;
}

/**
 * Received = stored + duplicate + parked + refused also holds for what is left. The same events give the same key, so that
 * a repeated run counts them once.
 */
function toEntry(project_id: string) {
  return ({ minute, of_day, n, keys }: Count) => ({
    project_id,
    minute,
    outcome: "stored" as const,
    reason: "",
    batch: `erase:${keys}`,
    day: of_day,
    events: -n,
  });
}
