import assert from "node:assert/strict";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { PROFILE_COLUMNS } from "../../src/materialize/profile-columns.ts";
import type { ProfileEngine } from "../../src/query/profiles/ask-profiles.ts";
import { countProfiles, type ProfileRow, selectProfiles } from "../../src/query/profiles/select-profiles.ts";
import { addTies, withoutRevived } from "./compare.ts";
import { createRandom, generateEvents, type Random } from "./generate.ts";
import { compareBytes, type OracleEvent } from "./oracle.ts";
import { type ExpectedProfile, expectedProfiles } from "./oracle-profiles.ts";
import { createEventStore, toRow } from "./store-rows.ts";

/** Touches count 30 days: some of these days are as far apart, and some farther. */
const DAYS = [
  ...["2026-01-01", "2026-01-02", "2026-01-20", "2026-01-31", "2026-02-01", "2026-02-02", "2026-02-19"],
  ...["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"],
];
/** On the last of these days. */
export const NOW_MS = Date.parse("2026-03-05T12:00:00Z");
/** The first day that is kept after the removal. */
const KEPT_FROM = "2026-02-02";
const { signal } = new AbortController();

export interface ProfileComparison {
  readonly seed: number;
  /** Of each set, copies included. */
  readonly events: number;
  /** Which of several copies of a message counts. */
  readonly counted: "stored first" | "received first";
  /** Only the last of the days. */
  readonly days?: number;
  /** Compares the wallets of one project in each state, whichever the seed says. */
  readonly isOfOne?: true;
  /** Compares in these states only. */
  readonly states?: readonly string[];
  /** Receives the name of each state that was compared. */
  onState?(state: string): void;
}

const keyOf = ({ project_id, day, message_id }: OracleEvent) => JSON.stringify([project_id, day, message_id]);

/**
 * Stores generated events in a random order, late ones and copies among them, and requires in every state of the
 * partitions that the profiles are those of the definition, to the last column. Resolves with the number of wallets.
 */
export async function compareProfiles(engine: AnalyticsEngine, options: ProfileComparison): Promise<number> {
  const { seed, counted } = options;
  const random = createRandom(seed);
  const projects = [`a-${seed}`, `b-${seed}`];
  const generated = generateEvents(random, {
    projects,
    days: DAYS.slice(-(options.days ?? DAYS.length)),
    count: options.events,
  });
  const all = counted === "received first" ? withoutRevived(generated, projects) : generated;
  addTies(all);
  const store = await createEventStore(engine, `profiles-${seed}`);
  let stored = new Map<string, OracleEvent>();
  const most = { wallets: 0 };
  const add = async (events: readonly OracleEvent[]) => {
    await store(events.map(toRow));
    for (const event of events) {
      const known = stored.get(keyOf(event));
      const isFirst = counted === "received first" && known !== undefined && event.received_at < known.received_at;
      if (known === undefined || isFirst) stored.set(keyOf(event), event);
    }
  };
  const check = async (state: string) => {
    if (options.states?.includes(state) === false) return;
    const compared = options.isOfOne ? [random.pick(projects)] : projects;
    const found = await compareState(engine, compared, [...stored.values()], random, `seed ${seed}, ${state}`);
    most.wallets = Math.max(most.wallets, found);
    options.onState?.(state);
  };
  const { maintenance } = engine;
  /** The dirty partitions, or the first of them. */
  const materialize = async (share: number, withoutBots: readonly string[] = []) => {
    const dirty = await maintenance.listDirty(NOW_MS + DAY_MS, withoutBots);
    for (const partition of dirty.slice(0, Math.ceil(dirty.length * share)))
      await maintenance.materialize([partition], signal);
  };
  const half = Math.floor(all.length / 2);

  await add(all.slice(0, half));
  await check("all partitions dirty");
  await materialize(0.5);
  await check("the first partitions clean");
  await materialize(1);
  assert.deepEqual(await maintenance.listDirty(NOW_MS + DAY_MS, []), []);
  await check("all clean");
  await add(all.slice(half, half + 10));
  await check("after some late events");
  await materialize(0.3);
  await check("some of them materialized again");
  await add(all.slice(half + 10, -10));
  await materialize(1);
  await check("all materialized again");
  await materialize(1, projects.slice(0, 1));
  await check("one project without bots in its rollups");
  await maintenance.rebuild(() => undefined, signal);
  await check("rebuilt and dirty");
  await materialize(1);
  await check("rebuilt");
  await maintenance.removeBefore([{ projectId: projects[0] ?? "", firstDay: KEPT_FROM }], signal);
  const isKept = (event: OracleEvent) =>
    event.project_id !== projects[0] || event.timestamp >= Date.parse(`${KEPT_FROM}T00:00:00Z`);
  stored = new Map([...stored].filter(([, event]) => isKept(event)));
  await check("the first days removed");
  await maintenance.rebuild(() => undefined, signal);
  await materialize(1);
  await check("rebuilt without the removed days");
  await add(all.slice(-10));
  await check("late events, some of removed days");
  await materialize(1);
  await check("all materialized after the removal");
  return most.wallets;
}

async function compareState(
  engine: AnalyticsEngine,
  projects: readonly string[],
  events: readonly OracleEvent[],
  random: Random,
  about: string,
): Promise<number> {
  const expected = expectedProfiles(events).toSorted(byKey);
  let compared = 0;
  for (const project of projects) {
    const own = expected.filter(({ project_id }) => project_id === project);
    compared += own.length;
    const of = `${about}, ${project}`;
    await compareAnswers(withoutKept(engine), project, own, random, of);
    if (await keepChanged(engine, project))
      await compareAnswers(engine, project, own, random, `${of}, changed wallets kept`);
  }
  return compared;
}

/** Every statement computes everything. */
function withoutKept(engine: AnalyticsEngine): ProfileEngine {
  return {
    relations: engine.relations,
    select: (sql, { kept: _kept, ...options } = {}) => engine.select(sql, options),
  };
}

/** Asks until the engine keeps what it can. False: it keeps nothing. */
async function keepChanged(engine: AnalyticsEngine, project: string): Promise<boolean> {
  const { kept } = await engine.relations.forProfiles(project, undefined, signal);
  if (kept === undefined) return false;
  for (let asked = 0; asked <= (kept.worthAfter ?? 1); asked += 1) await countProfiles(engine, project, {}, signal);
  return true;
}

async function compareAnswers(
  engine: ProfileEngine,
  project: string,
  expected: readonly ExpectedProfile[],
  random: Random,
  about: string,
): Promise<void> {
  const found = await selectProfiles(engine, project, { limit: 10_000 }, signal);
  assertSame(found, expected, about);
  const some = expected.map(({ address }) => String(address)).filter(() => random.chance(0.1));
  const asked = [...new Set([...some, "nobody"])];
  const ofSome = await selectProfiles(engine, project, { limit: 10_000, addresses: asked }, signal);
  assertSame(
    ofSome,
    expected.filter(({ address }) => asked.includes(String(address))),
    `${about}, some addresses`,
  );
  await compareSearch(engine, project, expected, random, about);
}

/** One column, as a condition and as the order. */
async function compareSearch(
  engine: ProfileEngine,
  project: string,
  expected: readonly ExpectedProfile[],
  random: Random,
  about: string,
): Promise<void> {
  if (expected.length === 0) return;
  const number = random.pick(["revenue", "events", "sessions", "last_seen_ms", "transactions"]);
  const text = random.pick(["device", "last_utm_source", "first_channel", "location", "user_id"]);
  const [least, value] = [Number(random.pick(expected)[number]), String(random.pick(expected)[text])];
  const where = {
    sql: `(p.${number} > {least:Float64} OR p.${text} = {value:String})`,
    params: { least, value },
  };
  const search = { where, order: [`p.${number} DESC`], limit: 5, offset: 1 };
  const matching = expected
    .filter((row) => Number(row[number]) > least || row[text] === value)
    .toSorted((a, b) => Number(b[number]) - Number(a[number]) || byKey(a, b));
  const name = `${about}, ${number} > ${least} or ${text} = ${JSON.stringify(value)}`;
  assertSame(await selectProfiles(engine, project, search, signal), matching.slice(1, 6), name);
  assert.equal(await countProfiles(engine, project, { where }, signal), matching.length, name);
}

function byKey(a: ExpectedProfile, b: ExpectedProfile): number {
  return compareBytes(String(a.project_id), String(b.project_id)) || compareBytes(String(a.address), String(b.address));
}

/** The first difference says more than two lists. */
function assertSame(found: readonly ProfileRow[], expected: readonly ExpectedProfile[], about: string): void {
  const keyOfRow = ({ project_id, address }: ExpectedProfile | ProfileRow) =>
    [project_id, address].map(String).join(" ");
  assert.deepEqual(found.map(keyOfRow), expected.map(keyOfRow), `${about}: wallets`);
  for (const [at, row] of expected.entries())
    for (const name of PROFILE_COLUMNS)
      assert.deepEqual(found[at]?.[name], row[name], `${about}: ${name} of ${keyOfRow(row)}`);
  assert.deepEqual(Object.keys(found[0] ?? {}).sort(), Object.keys(expected[0] ?? {}).sort(), about);
}
