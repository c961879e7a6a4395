/** Which optional parts this machine has. The packages themselves decide, not a list of platforms. */
import { accessSync, closeSync, constants, openSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, constants as zlib } from "node:zlib";

const here = `${process.platform}-${process.arch}`;

/** What plays ClickHouse in tests. The native one is faster and lacks nothing that we test. */
export type ChdbKind = "native" | "wasm";

export function findChdb(): ChdbKind | undefined {
  const here = createRequire(import.meta.url);
  if (hasNativePart(here)) return "native";
  return tryResolve(here, "chdb-wasm/chdb.wasm") === undefined ? undefined : "wasm";
}

/** npm installs only the package for this platform, if the registry has it. */
function hasNativePart(here: NodeJS.Require): boolean {
  const manifest = tryResolve(here, "chdb/package.json");
  if (manifest === undefined) return false;
  const fromChdb = createRequire(manifest);
  const { optionalDependencies = {} } = fromChdb(manifest) as { optionalDependencies?: Record<string, string> };
  return Object.keys(optionalDependencies).some((name) => tryResolve(fromChdb, name) !== undefined);
}

/** Undefined if there is a ClickHouse for tests; else the reason in one line. */
export function whyNoClickHouse(): string | undefined {
  if (isServerGiven() || findChdb() !== undefined) return undefined;
  return `no ClickHouse on ${here}: neither chdb nor chdb-wasm is installed, and TEST_CLICKHOUSE_URL is not set`;
}

/** What ClickHouse as WebAssembly cannot do. */
const LACKS = {
  concurrency: "it runs one statement at a time",
  persistence: "its data is lost with its process",
  observation: "a running statement cannot be seen from outside",
  icu: "it has no ICU",
} as const;

/** Undefined if the ClickHouse of the tests can do it; else the reason in one line. */
export function whyClickHouseLacks(ability: keyof typeof LACKS): string | undefined {
  if (isServerGiven() || findChdb() === "native") return undefined;
  return whyNoClickHouse() ?? `ClickHouse is played by chdb-wasm on ${here}: ${LACKS[ability]}`;
}

function isServerGiven(): boolean {
  return (process.env.TEST_CLICKHOUSE_URL ?? "") !== "";
}

/** `npm`: the browser of @sparticuz/chromium, to be unpacked. Otherwise the path of an installed one. */
export type Chromium = { from: "npm" } | { from: "path"; executablePath: string };

/** The one without windows first: the same tests take it half the time, and it draws the same pixels. */
const PROGRAMS = ["chromium-headless-shell", "chromium", "chromium-browser"];

export function findChromium(): Chromium | undefined {
  if (isForThisMachine(packedChromium("chromium.br"))) return { from: "npm" };
  const executablePath = PROGRAMS.map(findProgram).find((path) => path !== undefined);
  return executablePath === undefined ? undefined : { from: "path", executablePath };
}

export function whyNoChromium(): string | undefined {
  if (findChromium() !== undefined) return undefined;
  return `no Chromium on ${here}: the one from npm is for another platform, and no chromium is on the PATH`;
}

/** A file of the package, whose manifest does not export it. */
export function packedChromium(name: string): string {
  return fileURLToPath(new URL(`../bin/${name}`, import.meta.resolve("@sparticuz/chromium")));
}

/** Undefined where Linux exposes processes as files. */
export function whyNoProc(): string | undefined {
  return canUse("/proc/self/environ", constants.R_OK) ? undefined : `no /proc on ${here}`;
}

/** Whether a compressed program has the same machine and format as the Node that runs this. */
function isForThisMachine(packed: string): boolean {
  // ELF: magic, class and byte order first, the machine at 18.
  const identityOf = (bytes: Buffer) => `${bytes.toString("hex", 0, 6)} ${bytes.toString("hex", 18, 20)}`;
  // 64 kB are enough to unpack the first bytes; all 60 MB would take seconds.
  const start = brotliDecompressSync(readStart(packed, 65_536), { finishFlush: zlib.BROTLI_OPERATION_FLUSH });
  return identityOf(start) === identityOf(readStart(process.execPath, 20));
}

function readStart(path: string, length: number): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

function findProgram(name: string): string | undefined {
  const dirs = (process.env.PATH ?? "").split(delimiter).filter((dir) => dir !== "");
  return dirs.map((dir) => join(dir, name)).find((path) => canUse(path, constants.X_OK));
}

function canUse(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function tryResolve(from: NodeJS.Require, name: string): string | undefined {
  try {
    return from.resolve(name);
  } catch {
    return undefined;
  }
}
