/** Reads what an app says about the wallets of a project. */
import {
  FIRST_SAID_MS,
  IMPORTED,
  NET_WORTH,
  PROPERTY_KEYS,
  type PropertyKey,
  TOKENS,
} from "../contract/profile-fields.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import type { Cte } from "../engines/relations.ts";
import type { WalletLabel, WalletProperty } from "../engines/wallet-rows.ts";
import { readSqlParts } from "../lib/sql.ts";

export const WALLET_SQL = readSqlParts(new URL("./wallets.sql", import.meta.url));

type Engine = Pick<AnalyticsEngine, "select">;

/** What is kept of one wallet. */
export interface Told {
  readonly properties: ReadonlyMap<PropertyKey, string>;
  readonly labels: readonly Pick<WalletLabel, "tag_id" | "chain_id" | "value" | "source">[];
  readonly importedMs: number | undefined;
  /** Of providers. */
  readonly netWorthUsd: number | null;
  readonly tokens: readonly unknown[] | null;
  /** Whether the app says anything: a profile stands on it. What was unset is nothing. */
  readonly isSaid: boolean;
  /** The last change, also of what was unset. */
  readonly changedMs: number | undefined;
}

const NOTHING: Told = {
  properties: new Map(),
  labels: [],
  importedMs: undefined,
  netWorthUsd: null,
  tokens: null,
  isSaid: false,
  changedMs: undefined,
};

/** The relations that conditions read. */
export const KEPT: readonly Cte[] = ["kept_properties", "kept_labels"].map((name) => ({ name, sql: WALLET_SQL(name) }));

/** By address; a wallet of which nothing was ever said is absent. */
export async function readTold(
  engine: Engine,
  projectId: string,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<(address: string) => Told> {
  if (addresses.length === 0) return () => NOTHING;
  const options = { params: { of_project: projectId, addresses }, signal };
  const properties = await engine.select<WalletProperty>(WALLET_SQL("properties_of"), options);
  const labels = await engine.select<WalletLabel>(WALLET_SQL("labels_of"), options);
  const found = new Map<string, [WalletProperty[], WalletLabel[]]>();
  const of = (address: string) => {
    const known = found.get(address) ?? [[], []];
    found.set(address, known);
    return known;
  };
  for (const row of properties.rows) of(row.address)[0].push(row);
  for (const row of labels.rows) of(row.address)[1].push(row);
  return (address) => toTold(...(found.get(address) ?? [[], []]));
}

function toTold(properties: readonly WalletProperty[], labels: readonly WalletLabel[]): Told {
  const kept = properties.filter(({ is_deleted }) => is_deleted === 0);
  const keptLabels = labels.filter(({ is_deleted }) => is_deleted === 0);
  const values = new Map(kept.map(({ name, value }) => [name, value]));
  const changes = [...properties, ...labels].map(({ changed_ms }) => changed_ms).filter((ms) => ms >= FIRST_SAID_MS);
  return {
    properties: new Map(PROPERTY_KEYS.flatMap((key) => (values.has(key) ? [[key, values.get(key) ?? ""]] : []))),
    labels: keptLabels,
    importedMs: kept.find(({ name }) => name === IMPORTED)?.changed_ms,
    netWorthUsd: values.has(NET_WORTH) ? Number(values.get(NET_WORTH)) : null,
    tokens: readTokens(values.get(TOKENS)),
    isSaid: keptLabels.length > 0 || kept.some(({ changed_ms }) => changed_ms >= FIRST_SAID_MS),
    changedMs: changes.length === 0 ? undefined : Math.max(...changes),
  };
}

function readTokens(text: string | undefined): readonly unknown[] | null {
  const parsed: unknown = text === undefined ? null : JSON.parse(text);
  return Array.isArray(parsed) ? parsed : null;
}

/** Undefined: no wallet has the name, or several have. */
export async function findNamed(
  engine: Engine,
  projectId: string,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const params = { of_project: projectId, wanted: name };
  const { rows } = await engine.select<{ address: string }>(WALLET_SQL("named"), { params, signal });
  return rows.length === 1 ? rows[0]?.address : undefined;
}

export async function isAnythingTold(engine: Engine, projectId: string, signal: AbortSignal): Promise<boolean> {
  const params = { of_project: projectId, said_from: FIRST_SAID_MS };
  const { rows } = await engine.select(WALLET_SQL("any"), { params, signal });
  return rows.length > 0;
}
