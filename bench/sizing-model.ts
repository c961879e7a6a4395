/** What a rate of events needs, computed from what one event costs. */

export interface EventCosts {
  /** Microseconds of processor time to accept an event and to make its row. */
  readonly serviceUs: number;
  /** To store it: in DuckDB, and in ClickHouse with the merges that follow. */
  readonly duckdbUs: number;
  readonly clickhouseUs: number;
  /** Bytes of its request, of its row in the engine's files with derived tables, and in ClickHouse's. */
  readonly sentBytes: number;
  readonly duckdbBytes: number;
  readonly clickhouseBytes: number;
}

export interface Machines {
  readonly ingestCores: number;
  readonly clickhouseCores: number;
  readonly replicas: number;
}

export interface Needs {
  readonly eventsPerSecond: number;
  /** Of the engine inside: undefined beyond what one machine stores. */
  readonly oneMachineCores: number | undefined;
  readonly ingestNodes: number;
  readonly shards: number;
  readonly networkMbit: number;
  /** A month, on one replica of all shards together. */
  readonly diskGb: number;
}

/** The rest of a core is for peaks within the minute, reports and merges. */
const BUSY = 0.5;
/** Of the peak. */
const AVERAGE = 0.2;
const MONTH_SECONDS = 30 * 86_400;
/** One connection writes to DuckDB: storing uses one core, however many there are. */
const DUCKDB_WRITERS = 1;

/** `crowding`: how many times the mean the fullest shard has (fullestShard). */
export function needsOf(
  eventsPerSecond: number,
  costs: EventCosts,
  machines: Machines,
  crowding: (shards: number) => number,
): Needs {
  const busy = (us: number) => (eventsPerSecond * us) / 1e6 / BUSY;
  const storing = busy(costs.duckdbUs);
  const fitsOne = storing <= DUCKDB_WRITERS;
  // One more: the others must carry the load of a node that fails.
  const ingestNodes = Math.ceil(busy(costs.serviceUs) / machines.ingestCores) + 1;
  let shards = Math.max(1, Math.ceil(busy(costs.clickhouseUs) / machines.clickhouseCores));
  while ((busy(costs.clickhouseUs) / shards) * crowding(shards) > machines.clickhouseCores && shards < MOST_SHARDS)
    shards += 1;
  const bytes = fitsOne ? costs.duckdbBytes : costs.clickhouseBytes;
  return {
    eventsPerSecond,
    oneMachineCores: fitsOne ? Math.max(2, Math.ceil(storing + busy(costs.serviceUs))) : undefined,
    ingestNodes,
    shards,
    // To the ingest nodes, and rows to each replica.
    networkMbit: (eventsPerSecond * (costs.sentBytes + costs.clickhouseBytes * machines.replicas) * 8) / 1e6,
    diskGb: (eventsPerSecond * AVERAGE * MONTH_SECONDS * bytes) / 1e9,
  };
}

const MOST_SHARDS = 4_096;

/**
 * How many times the mean the fullest of so many shards has, when projects are placed by the hash of their id: the
 * median of many placements. Sizes of projects follow Zipf's law: the largest has a share of its own that no number of
 * shards divides.
 */
export function fullestShard(
  shards: number,
  projects: number,
  exponent: number,
  placements: number,
  random: () => number,
): number {
  if (shards === 1) return 1;
  const sizes = Float64Array.from({ length: projects }, (_, rank) => (rank + 1) ** -exponent);
  const mean = sizes.reduce((sum, size) => sum + size, 0) / shards;
  const fullest = Array.from({ length: placements }, () => {
    const load = new Float64Array(shards);
    for (const size of sizes) {
      const shard = Math.floor(random() * shards);
      load[shard] = (load[shard] ?? 0) + size;
    }
    return Math.max(...load) / mean;
  });
  return fullest.toSorted((a, b) => a - b)[Math.floor(placements / 2)] ?? Number.NaN;
}

/** The share of all events that the largest project has. */
export function largestShare(projects: number, exponent: number): number {
  let all = 0;
  for (let rank = 1; rank <= projects; rank += 1) all += rank ** -exponent;
  return 1 / all;
}
