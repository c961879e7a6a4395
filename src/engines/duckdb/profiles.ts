/**
 * The tables of profiles. `profile_days` and `profile_touches` have the rows of each partition and are materialized,
 * removed and made again with its rollups. `profile_sums` is their merge for each wallet, so that a search reads one row
 * a wallet. Its rows up to `clean_through` are valid. Rows of later days are stale, and readers merge those wallets
 * themselves (relations-profiles.ts): a late event must not pay for the wallets of all later days.
 */
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { PROFILES, type ProfileParts, profileSumsSql } from "../../materialize/profiles.ts";
import type { SelectParams } from "../select.ts";
import { inMemory, OF_PROJECTS, withDue } from "./added-rollups.ts";
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

/**
 * Computes the rows of a slice of a group of partitions, and their merge, beside the writer: as rollups
 * (added-rollups.ts), and with as few statements, because each may wait for seconds.
 */
export async function computeProfiles(
  database: Pick<Database, "aside">,
  slice: SelectParams,
  signal: AbortSignal,
): Promise<void> {
  const [days, touches] = [inMemory("profile_days"), inMemory("profile_touches")];
  const known = `(SELECT u.* FROM profile_sums AS u
    SEMI JOIN (SELECT project_id, ${walletKey("address")} AS wallet_key, address FROM ${days}) AS d
        ON d.wallet_key = u.wallet_key AND d.project_id = u.project_id AND d.address = u.address)`;
  const sums = profileSumsSql({ days: [days], touches: [touches], sums: [known] });
  const statements = {
    profile_days: withDue(`SELECT * FROM (\n${PROFILES.profile_days}\n)`),
    profile_touches: withDue(`SELECT * FROM (\n${PROFILES.profile_touches}\n)`),
    profile_sums: `SELECT *, ${COMPARED} FROM (\n${sums}\n)`,
  };
  for (const table of PROFILE_TABLES)
    await database.aside(async (connection) => {
      await connection.run(`CREATE OR REPLACE TABLE ${inMemory(table)} AS SELECT * FROM ${table} LIMIT 0`);
      await run(connection, `INSERT INTO ${inMemory(table)} BY NAME\n${statements[table]}`, slice);
    }, signal);
}

/** Adds what was computed of these projects. Until the partitions are clean their wallets in `profile_sums` are stale. */
export async function addComputedProfiles(connection: DuckDBConnection, projects: readonly string[]): Promise<void> {
  const replaced = `DELETE FROM profile_sums AS u USING ${inMemory("profile_sums")} AS m
    WHERE m.project_id = u.project_id AND m.address = u.address AND m.${OF_PROJECTS}`;
  await run(connection, replaced, { projects });
  for (const table of PROFILE_TABLES) {
    const computed = `SELECT * FROM ${inMemory(table)} WHERE ${OF_PROJECTS} ORDER BY project_id, address`;
    await run(connection, `INSERT INTO ${table} ${computed}`, { projects });
  }
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
