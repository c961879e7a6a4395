/**
 * The thread that holds the engine of `open-wasm.ts`: ClickHouse as WebAssembly (chdb-wasm). Its calls block, so it has a
 * thread of its own. Its files are in memory; the directory and the configuration below are among them.
 */
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parentPort } from "node:worker_threads";
import type { RawResult } from "./chdb.ts";

/** A text of statements, run on a connection of its own after the file was written that it reads. */
export interface Job {
  readonly sql: string;
  readonly file?: { readonly path: string; readonly bytes: Uint8Array };
}

/** Sent once, before the answers: the results of jobs, or the message of a failure. */
export interface Opened {
  readonly memory: SharedArrayBuffer;
  /** Where in `memory` a 1 cancels the running statement. */
  readonly cancelAt: number;
}

export type Answer = RawResult | string;

/** Every connection must name the same directory: for another one the engine gives none. */
const STORE = "/data/store";
const FORMAT = "TabSeparated";

const SHARD = "<shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>";
const POOLS = [
  "background_pool_size",
  "background_schedule_pool_size",
  "background_common_pool_size",
  "background_move_pool_size",
  "background_fetches_pool_size",
  "background_buffer_flush_schedule_pool_size",
  "background_distributed_schedule_pool_size",
  "background_message_broker_schedule_pool_size",
];
/** A merge or mutation may otherwise wait for more free places in the pool than it has. */
const FREE_ENTRIES = [
  "number_of_free_entries_in_pool_to_execute_mutation",
  "number_of_free_entries_in_pool_to_lower_max_size_of_merge",
  "number_of_free_entries_in_pool_to_execute_optimize_entire_partition",
];

/**
 * A cluster `main` of two shards that are both this engine: a replica with the engine's own address is itself. By name
 * it would not be, because there is no DNS. The build has 2 GiB and 16 threads for everything, so pools and memory are
 * small: beyond 1.4 GB a statement fails with 241, and the engine goes on. There are no hard links.
 */
const CONFIG = `<clickhouse>
  <tcp_port>9000</tcp_port>
  <remote_servers><main>${SHARD}${SHARD}</main></remote_servers>
  <max_server_memory_usage>1400000000</max_server_memory_usage>
  <mark_cache_size>67108864</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  ${POOLS.map((name) => `<${name}>1</${name}>`).join("\n  ")}
  <merge_tree>
    <always_use_copy_instead_of_hardlinks>1</always_use_copy_instead_of_hardlinks>
    ${FREE_ENTRIES.map((name) => `<${name}>0</${name}>`).join("\n    ")}
  </merge_tree>
</clickhouse>
`;

/** The part of Emscripten's module that is used. The memory has 64-bit addresses, which are BigInt here. */
interface Module {
  readonly HEAPU8: Uint8Array;
  readonly FS: {
    writeFile(path: string, data: Uint8Array | string): void;
    unlink(path: string): void;
    mkdir(path: string): void;
  };
  ccall(name: string, returns: "number" | null, types: readonly string[], args: readonly unknown[]): number | bigint;
  UTF8ToString(pointer: number, length?: number): string;
  _malloc(size: bigint | number): bigint | number;
  _free(pointer: bigint | number): void;
}

async function openModule(): Promise<Module> {
  // The package does not export this file.
  const path = join(dirname(fileURLToPath(import.meta.resolve("chdb-wasm"))), "chdb.mjs");
  const { default: create } = (await import(pathToFileURL(path).href)) as { default: () => Promise<Module> };
  const module = await create();
  // Read from the working directory at the first connection.
  module.FS.writeFile("/config.xml", CONFIG);
  module.FS.mkdir("/data");
  return module;
}

/** On a new connection: readonly cannot be reset on one, and settings stay on it. */
function run(module: Module, sql: string): RawResult {
  const number = (name: string, pointer: unknown) => Number(module.ccall(name, "number", ["number"], [pointer]));
  const connection = connect(module);
  // Not as a string argument: those are copied to the stack of 8 MB.
  const [text, format] = [toMemory(module, sql), toMemory(module, FORMAT)];
  const types = ["number", "number", "number"];
  try {
    const result = module.ccall("chdb_wasm_query_conn", "number", types, [connection, text, format]);
    if (Number(result) === 0) throw new Error("the engine gave no result");
    try {
      const error = number("chdb_wasm_result_error", result);
      const message = error === 0 ? "" : module.UTF8ToString(error);
      if (message !== "") throw new Error(message);
      return {
        bytes: readMemory(module, number("chdb_wasm_result_buffer", result), number("chdb_wasm_result_length", result)),
        elapsed: number("chdb_wasm_result_elapsed", result),
        rowsRead: number("chdb_wasm_result_scanned_rows", result),
        bytesRead: number("chdb_wasm_result_scanned_bytes", result),
      };
    } finally {
      module.ccall("chdb_wasm_free_result", null, ["number"], [result]);
    }
  } finally {
    for (const each of [text, format]) module._free(each);
    module.ccall("chdb_wasm_close_conn", null, ["number"], [connection]);
  }
}

function connect(module: Module): number | bigint {
  return module.ccall("chdb_wasm_connect", "number", ["string"], [STORE]);
}

/** With a zero at its end. */
function toMemory(module: Module, text: string): bigint {
  const bytes = Buffer.from(`${text}\0`);
  const at = BigInt(module._malloc(bytes.length));
  seeAllMemory(module, Number(at));
  module.HEAPU8.set(bytes, Number(at));
  return at;
}

function readMemory(module: Module, at: number, length: number): Uint8Array {
  if (at === 0) return new Uint8Array(0);
  seeAllMemory(module, at);
  return module.HEAPU8.slice(at, at + length);
}

/**
 * Another thread may have grown the memory; the view of this one would then end before `at`, and give empty results
 * without an error. Reading a text renews it.
 */
function seeAllMemory(module: Module, at: number): void {
  module.UTF8ToString(at, 1);
}

const module = await openModule();
// This connection stays open: the engine shuts down with its last one.
connect(module);
parentPort?.on("message", ({ sql, file }: Job) => {
  const send = (answer: Answer): void => parentPort?.postMessage(answer);
  try {
    if (file !== undefined) module.FS.writeFile(file.path, file.bytes);
    send(run(module, sql));
  } catch (cause) {
    send(cause instanceof Error ? cause.message : String(cause));
  } finally {
    if (file !== undefined) module.FS.unlink(file.path);
  }
});
const cancelAt = Number(module.ccall("chdb_wasm_cancel_flag_addr", "number", [], []));
parentPort?.postMessage({ memory: module.HEAPU8.buffer as SharedArrayBuffer, cancelAt } satisfies Opened);
