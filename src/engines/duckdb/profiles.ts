/**
 * The tables of profiles. `profile_days` and `profile_touches` have the rows of each partition and are materialized,
 * removed and made again with its rollups. `profile_sums` is their merge for each wallet, so that a search reads one row
 * a wallet. Its rows up to `clean_through` are valid. Rows of later days are stale, and readers merge those wallets
 * themselves (relations-profiles.ts): a late event must not pay for the wallets of all later days.
 */
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { PROFILES, type ProfileParts, profileSumsSql } from "../../materialize/profiles.ts";
import type { SelectParams } from "../select.ts";
import type { Database } from "./database.ts";
import { BEFORE_ALL } from "./rollup-state.ts";
import { readRows } from "./rows.ts";
import { toStatement } from "./statement.ts";
import { walletKey } from "./wallet-key.ts";

export const PROFILE_TABLES = ["profile_days", "profile_touches", "profile_sums"] as const;

/** Wallets merged in one transaction. */
const SLICE_WALLETS = 20_000;

/** Removes the rows of a day and of all later ones. */
export async function removeProfilesFrom(connection: DuckDBConnection, project: string, day: string): Promise<void> {
  for (const table of ["profile_days", "profile_touches"])
    await connection.run(`DELETE FROM ${table} WHERE project_id = $project AND day >= CAST($day AS DATE)`, {
      project,
      day,
    });
}

/** Removes all rows of a project. */
export async function removeProfiles(connection: DuckDBConnection, project: string): Promise<void> {
  for (const table of PROFILE_TABLES)
    await connection.run(`DELETE FROM ${table} WHERE project_id = $project`, { project });
}

export interface ProfileSlice {
  readonly project: string;
  readonly first_day: string;
  readonly last_day: string;
  /** Of `slices`, by the hash of the address. */
  readonly slice: number;
  readonly slices: number;
}

const OF_SLICE = `project_id = {project:String} AND day BETWEEN {first_day:Date} AND {last_day:Date}
    AND cityHash64(address) % {slices:UInt64} = {slice:UInt64}`;

/**
 * Adds the rows of a slice of one or several partitions, and merges them. Until they are clean their wallets in
 * `profile_sums` are stale.
 */
export async function materializeProfiles(connection: DuckDBConnection, of: ProfileSlice): Promise<void> {
  const params = { ...of };
  for (const [table, sql] of Object.entries(PROFILES))
    await run(connection, `INSERT INTO ${table} BY NAME\n${sql}\nORDER BY address`, params);
  const inSlice = (table: string) => `(SELECT * FROM ${table} WHERE ${OF_SLICE})`;
  const known = `(SELECT u.* FROM profile_sums AS u
    SEMI JOIN (SELECT ${walletKey("address")} AS wallet_key, address FROM profile_days WHERE ${OF_SLICE}) AS d
        ON d.wallet_key = u.wallet_key AND d.address = u.address
    WHERE u.project_id = {project:String})`;
  const parts = { days: [inSlice("profile_days")], touches: [inSlice("profile_touches")], sums: [known] };
  await replaceSums(connection, parts, params);
}

const STALE = `u.project_id = {project:String}
    AND u.last_day > coalesce(
        (SELECT clean_through FROM rollup_state WHERE project_id = {project:String}), DATE '${BEFORE_ALL}')`;

export async function countStale(connection: DuckDBConnection, project: string): Promise<number> {
  const sql = `SELECT count(*) AS n FROM profile_sums AS u WHERE ${STALE}`;
  const statement = toStatement(sql, { project });
  const [row] = readRows(await connection.runAndReadAll(statement.sql, statement.values)) as { n: number }[];
  return row?.n ?? 0;
}

/** Merges stale wallets again from the clean partitions: after a late event, before the next partition is materialized. */
export async function mergeStale(database: Database, project: string, sliceWallets = SLICE_WALLETS): Promise<void> {
  const stale = await database.alone((connection) => countStale(connection, project));
  const slices = Math.ceil(stale / sliceWallets);
  const some = `SELECT u.address FROM profile_sums AS u
    WHERE ${STALE} AND cityHash64(u.address) % {slices:UInt64} = {slice:UInt64}`;
  for (let slice = 0; slice < slices; slice += 1) {
    await database.write(async (connection) => {
      await run(connection, `CREATE OR REPLACE TEMP TABLE merged_again AS ${some}`, { project, slice, slices });
      const ofSome = (
        table: string,
      ) => `(SELECT d.* FROM ${table} AS d SEMI JOIN merged_again AS a ON a.address = d.address
    WHERE d.project_id = {project:String}
        AND d.day <= (SELECT clean_through FROM rollup_state WHERE project_id = {project:String}))`;
      const parts = { days: [ofSome("profile_days")], touches: [ofSome("profile_touches")] };
      await createMerged(connection, parts, { project });
      const gone = "project_id = {project:String} AND address IN (SELECT address FROM merged_again)";
      await run(connection, `DELETE FROM profile_sums WHERE ${gone}`, { project });
      await insertMerged(connection);
    });
  }
}

/** Removes what profiles know of a day of these projects, in the transaction that removes its events. */
export async function removeProfileDay(
  connection: DuckDBConnection,
  projects: readonly string[],
  day: string,
): Promise<void> {
  const values = { projects: listValue([...projects]), day };
  const ofDay = (column: string) => `project_id IN CAST($projects AS VARCHAR[]) AND ${column} = CAST($day AS DATE)`;
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE merged_again AS
     SELECT project_id, address FROM profile_days WHERE ${ofDay("day")}
     UNION SELECT project_id, address FROM profile_touches WHERE ${ofDay("seen_day")}`,
    values,
  );
  await connection.run(`DELETE FROM profile_days WHERE ${ofDay("day")}`, values);
  await connection.run(`DELETE FROM profile_touches WHERE ${ofDay("seen_day")}`, values);
  const isAgain = (of: string) => `a.project_id = ${of}.project_id AND a.address = ${of}.address`;
  const left = (table: string) => `(SELECT d.* FROM ${table} AS d SEMI JOIN merged_again AS a ON ${isAgain("d")})`;
  await createMerged(connection, { days: [left("profile_days")], touches: [left("profile_touches")] }, {});
  await connection.run(`DELETE FROM profile_sums AS u USING merged_again AS a WHERE ${isAgain("u")}`);
  await insertMerged(connection);
}

async function replaceSums(connection: DuckDBConnection, parts: ProfileParts, params: SelectParams): Promise<void> {
  await createMerged(connection, parts, params);
  await connection.run(
    `DELETE FROM profile_sums AS u USING merged_profiles AS m
     WHERE m.project_id = u.project_id AND m.address = u.address`,
  );
  await insertMerged(connection);
}

/** What searches compare: see schema/0011_wallet_keys.sql. */
const COMPARED = [
  `${walletKey("address")} AS wallet_key`,
  ...["revenue", "volume", "points"].map((name) => `toFloat64(${name}) / 1e9 AS ${name}_shown`),
].join(", ");

async function createMerged(connection: DuckDBConnection, parts: ProfileParts, params: SelectParams): Promise<void> {
  await run(connection, `CREATE OR REPLACE TEMP TABLE merged_profiles AS\n${profileSumsSql(parts)}`, params);
}

async function insertMerged(connection: DuckDBConnection): Promise<void> {
  await connection.run(`INSERT INTO profile_sums BY NAME SELECT *, ${COMPARED} FROM merged_profiles`);
  await connection.run("DROP TABLE merged_profiles; DROP TABLE IF EXISTS merged_again");
}

async function run(connection: DuckDBConnection, text: string, params: SelectParams): Promise<void> {
  const { sql, values } = toStatement(text, params);
  await connection.run(sql, values);
}
