/**
 * Opens the file of the warehouse. It is attached to an instance in memory, because only ATTACH can say how many rows a
 * row group has. Every connection uses its tables by default, under the same names as if the file were the instance's.
 */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { cutUnwritten } from "./mend-wal.ts";
import { createMetadataCopy, type MetadataCopy, restoreMetadata } from "./metadata-copy.ts";
import { PLANNING_OPTIONS } from "./planning.ts";

/**
 * Rows of a row group, twelve of DuckDB's vectors: about a batch at full load (batch-reader.ts). A transaction that fills
 * a row group writes it to the file once. With DuckDB's own 122,880 a batch was copied into the table and written to the
 * write-ahead log first: storing an event took 44 us of processor instead of 35. Files of older releases keep their
 * larger row groups, and new rows get some of this size beside them.
 */
export const ROW_GROUP_ROWS = 24_576;

/**
 * Bytes of a block of a new file. With DuckDB's own 262,144 the ends of so many smaller columns took 173 bytes an event
 * instead of 137. Blocks of 16,384 saved 6 more and cost 5 us of processor an event. A file keeps the size it was
 * created with.
 */
const BLOCK_BYTES = 65_536;

export interface OpenFile {
  connect(): Promise<DuckDBConnection>;
  readonly metadata: MetadataCopy;
  close(): void;
}

const RESTORED = "some metadata was only half written: it was restored from its copy";
/** What a loss of power may leave, and what is done about it. Each is done once at most. */
const MENDS = {
  [RESTORED]: restoreMetadata,
  "the write-ahead log had an end that was never written: it was cut": cutUnwritten,
} as const;

/** `onMended` hears what was wrong with the file, and what was done. */
export async function openFile(
  path: string,
  memoryBytes: number,
  onMended: (what: string) => void = () => undefined,
): Promise<OpenFile> {
  const left = new Map(Object.entries(MENDS));
  for (;;) {
    try {
      return await attach(path, memoryBytes, onMended);
    } catch (cause) {
      const [what] = [...left].find(([, mend]) => mend(path, cause)) ?? [];
      if (what === undefined) throw cause;
      left.delete(what);
      onMended(what);
    }
  }
}

async function attach(path: string, memoryBytes: number, onMended: (what: string) => void): Promise<OpenFile> {
  const instance = await DuckDBInstance.create(":memory:", instanceOptions(path, memoryBytes));
  try {
    const base = basename(path, ".duckdb");
    const name = `"${base.replaceAll('"', '""')}"`;
    const first = await instance.connect();
    const blocks = existsSync(path) ? "" : `, BLOCK_SIZE ${BLOCK_BYTES}`;
    const options = `ROW_GROUP_SIZE ${ROW_GROUP_ROWS}${blocks}`;
    await first.run(`ATTACH '${path.replaceAll("'", "''")}' AS ${name} (${options})`);
    await first.run("SET enable_external_access = false");
    // One at the end would have no copy of the metadata. What it leaves in the write-ahead log is read by the next start.
    await first.run("PRAGMA disable_checkpoint_on_shutdown");
    first.closeSync();
    const metadata = createMetadataCopy(path, base);
    // DuckDB reads the metadata of columns later: with those half written it opens the file, and fails what reads them.
    if (metadata.restore()) onMended(RESTORED);
    return {
      async connect() {
        const connection = await instance.connect();
        await connection.run(`USE ${name}`);
        return connection;
      },
      metadata,
      close() {
        instance.closeSync();
        metadata.close();
      },
    };
  } catch (cause) {
    instance.closeSync();
    throw cause;
  }
}

export function toMemoryLimit(bytes: number): string {
  return `${Math.ceil(bytes / 1024 ** 2)}MiB`;
}

function instanceOptions(path: string, memoryBytes: number): Record<string, string> {
  return {
    ...PLANNING_OPTIONS,
    // Until the file is attached.
    enable_external_access: "true",
    // Needed for zstd: without it an event takes 231 bytes instead of 101.
    storage_compatibility_version: "latest",
    memory_limit: toMemoryLimit(memoryBytes),
    temp_directory: join(path, "..", "tmp"),
    // Checkpoints run between two batches: automatic ones ran inside a commit and took up to 8 s.
    checkpoint_threshold: "1TB",
    // A checkpoint merges row groups only when it is told to: see checkpoint.ts.
    max_vacuum_tasks: "0",
    // Tasks of several queries take turns: without it a long query kept all threads until its pipeline ended.
    scheduler_process_partial: "true",
  };
}
