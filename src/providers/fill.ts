/** One run: finds the wallets that are due, asks the provider for each, and writes what it says. */
import { askedMark } from "../contract/profile-fields.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import { createSemaphore } from "../lib/semaphore.ts";
import { readSqlParts } from "../lib/sql.ts";
import type { WriteWallets } from "../profiles/write-wallets.ts";
import { withRelations } from "../query/run/with-relations.ts";
import { toFactRows, toFailedRows, toProviderTime } from "./facts.ts";
import { type Provider, ProviderFailed, type WalletFacts } from "./provider.ts";
import type { WantedWallet, WantedWallets } from "./wanted.ts";

const SQL = readSqlParts(new URL("./due.sql", import.meta.url));

export interface FillDeps {
  readonly engine: Pick<AnalyticsEngine, "select" | "relations">;
  readonly writeWallets: WriteWallets;
  readonly provider: Provider;
  readonly wanted: Pick<WantedWallets, "take">;
  /** Projects whose events are real. */
  listProjects(): Promise<readonly string[]>;
}

/** A run of 200 wallets takes 100 s at ten requests a second. */
const MOST_WALLETS = 200;
const AT_ONCE = 4;
/** A provider that fails so often in a row is left alone until the next run. */
const MOST_FAILURES = 5;

export interface Filled {
  readonly asked: number;
  readonly found: number;
  readonly failed: number;
}

export async function fillWallets(
  deps: FillDeps,
  { sinceMs, nowMs, signal }: { sinceMs: number; nowMs: number; signal: AbortSignal },
): Promise<Filled> {
  const projects = await deps.listProjects();
  if (projects.length === 0) return { asked: 0, found: 0, failed: 0 };
  const due = await listDue(deps, projects, { sinceMs, nowMs, signal });
  return askAll(deps, due, nowMs, signal);
}

/** Those that people look at come first. */
async function listDue(
  { engine, provider, wanted }: FillDeps,
  projects: readonly string[],
  { sinceMs, nowMs, signal }: { sinceMs: number; nowMs: number; signal: AbortSignal },
): Promise<WantedWallet[]> {
  const asked = { of_projects: projects, mark: askedMark(provider.name), now_minute: toProviderTime(nowMs) };
  const looked = wanted.take(MOST_WALLETS).filter(({ projectId }) => projects.includes(projectId));
  const known = await selectKnown(engine, { ...asked, addresses: looked.map(({ address }) => address) }, signal);
  const due = looked.filter((wallet) => !known.has(keyOf(wallet)));
  const arrivals = engine.relations.arrivals(projects, sinceMs);
  const sql = withRelations([...arrivals.ctes, { name: "asked", sql: SQL("asked") }], SQL("active"));
  const params = { ...arrivals.params, ...asked, most: MOST_WALLETS };
  const { rows } = await engine.select<Row>(sql, { params, signal });
  const all = new Map([...due, ...rows.map(toWallet)].map((wallet) => [keyOf(wallet), wallet]));
  return [...all.values()].slice(0, MOST_WALLETS);
}

interface Row {
  readonly project_id: string;
  readonly address: string;
}

async function selectKnown(
  engine: FillDeps["engine"],
  params: Readonly<Record<string, unknown>> & { addresses: readonly string[] },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (params.addresses.length === 0) return new Set();
  const { rows } = await engine.select<Row>(SQL("asked_of"), { params, signal });
  return new Set(rows.map((row) => keyOf(toWallet(row))));
}

const toWallet = ({ project_id, address }: Row): WantedWallet => ({ projectId: project_id, address });
const keyOf = ({ projectId, address }: WantedWallet) => `${projectId} ${address}`;

/** Some wallets at a time. A wallet of several projects is asked for once. */
async function askAll(deps: FillDeps, due: readonly WantedWallet[], nowMs: number, signal: AbortSignal) {
  const { provider, writeWallets } = deps;
  const slots = createSemaphore({ perKey: AT_ONCE });
  const answers = new Map<string, Promise<WalletFacts>>();
  const counts = { asked: 0, found: 0, failed: 0 };
  let failures = 0;

  const answerOf = (address: string): Promise<WalletFacts> => {
    const answer = answers.get(address) ?? provider.find(address, signal);
    answers.set(address, answer);
    return answer;
  };

  async function askOne({ projectId, address }: WantedWallet): Promise<void> {
    try {
      const rows = toFactRows(address, provider, await answerOf(address), nowMs);
      failures = 0;
      counts.asked += 1;
      if (rows.some(({ name, is_deleted }) => is_deleted === 0 && name !== askedMark(provider.name))) counts.found += 1;
      await writeWallets(projectId, { properties: rows });
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof ProviderFailed)) throw cause;
      failures += 1;
      counts.failed += 1;
      await writeWallets(projectId, { properties: toFailedRows(address, provider, nowMs) });
      if (failures >= MOST_FAILURES) throw cause;
    }
  }

  const running: Promise<void>[] = [];
  let stopped: unknown;
  for (const wallet of due) {
    const release = await slots.acquire("", signal);
    if (stopped !== undefined) {
      release();
      break;
    }
    running.push(
      askOne(wallet)
        .catch((cause: unknown) => {
          stopped ??= cause;
        })
        .finally(release),
    );
  }
  await Promise.all(running);
  if (stopped !== undefined) throw stopped as Error;
  return counts;
}
