import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeDirs } from "../lib/make-dirs.ts";

/** The paths below the data directory. */
export function dataPaths(dir: string) {
  const root = resolve(dir);
  return {
    root,
    control: join(root, "control.sqlite"),
    engine: join(root, "duckdb"),
    log: join(root, "log"),
    secret: join(root, "secret"),
    credentials: join(root, "credentials.json"),
    lock: join(root, "service.lock"),
    running: join(root, "running.json"),
    nodeId: join(root, "node-id"),
    cursor: join(root, "cursor"),
    imports: join(root, "imports"),
    restoring: join(root, "restore-unfinished"),
  };
}

export type DataPaths = ReturnType<typeof dataPaths>;

/** The data directory cannot be used; the message is one line for the person who starts the service. */
export class DataDirError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "DataDirError";
  }
}

/** Another process holds the directory. */
export class DataDirInUse extends DataDirError {}

/** Creates the directory if necessary, readable only by its owner, and checks that it can be written. */
export function prepareDataDir(paths: DataPaths): void {
  try {
    const made = makeDirs(paths.root);
    // Every directory that was made is an entry of the one above it.
    for (let dir = paths.root; made !== undefined && dir.startsWith(made); dir = dirname(dir))
      fsyncDirSync(dirname(dir));
    if (existsSync(paths.restoring)) throw new Error("a restore into it did not finish: empty it and restore again");
    const probe = join(paths.root, `.probe-${process.pid}`);
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (cause) {
    throw new DataDirError(`cannot use the data directory ${paths.root}: ${reason(cause)}`, cause);
  }
}

/**
 * What a person who starts the service should know about a directory that was there before: the service does not change
 * the mode of somebody else's directory. Undefined where only its owner can read it.
 */
export function findModeProblem(paths: DataPaths): string | undefined {
  // Windows has no such modes.
  const mode = process.platform === "win32" ? 0o700 : statSync(paths.root).mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  return `others on this machine can look into the data directory (mode ${mode.toString(8)}): chmod 700 ${paths.root}`;
}

/** For a restore: the data directory must be empty. */
export function refuseUsedDataDir(paths: DataPaths): void {
  const found = existsSync(paths.root) ? readdirSync(paths.root).filter((name) => name !== "lost+found") : [];
  if (found.length > 0)
    throw new DataDirError(`the data directory ${paths.root} is not empty: set SEXTANT_DATA_DIR to one that is`);
}

/**
 * Describes the service that runs on a data directory, for the message of a second start and for commands that query
 * the embedded engine.
 */
export interface Running {
  pid: number;
  apiUrl: string;
  eventsUrl?: string;
  /** Address of its readiness check. */
  opsUrl?: string;
  startedAt: string;
  /** Changes with every start. Only the owner can read the file, like the data that the token protects. */
  engine?: { url: string; token: string } | undefined;
}

export interface DataDirLock {
  announce(running: Running): void;
  release(): void;
}

/**
 * Allows one service per data directory. Node has no flock, so the lock is an open write transaction on a small SQLite
 * file. The kernel releases it with the process, also after `kill -9`, which a pid file cannot guarantee.
 */
export function lockDataDir(paths: DataPaths): DataDirLock {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(paths.lock, { timeout: 0 });
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (cause) {
    database?.close();
    const code = (cause as { errcode?: number }).errcode ?? 0;
    if ((code & 0xff) !== 5)
      throw new DataDirError(`cannot lock the data directory ${paths.root}: ${reason(cause)}`, cause);
    throw new DataDirInUse(
      `the data directory ${paths.root} is in use by another Sextant${describeRunning(paths)}`,
      cause,
    );
  }
  const held = database;
  // The announcement of a killed process is outdated.
  rmSync(paths.running, { force: true, recursive: true });
  return {
    announce: (running) => writePrivateFile(paths.running, `${JSON.stringify(running)}\n`),
    release() {
      rmSync(paths.running, { force: true });
      held.close();
    },
  };
}

/** Whether a service runs there. The lock decides, because a killed service leaves its announcement behind. */
export function isDataDirInUse(paths: DataPaths): boolean {
  if (!existsSync(paths.lock)) return false;
  try {
    const database = new DatabaseSync(paths.lock, { timeout: 0, readOnly: true });
    try {
      database.prepare("select count(*) from sqlite_schema").get();
      return false;
    } finally {
      database.close();
    }
  } catch {
    return true;
  }
}

/** Undefined when no service runs there or it has not announced itself yet. */
export function findRunning(paths: DataPaths): Running | undefined {
  try {
    return JSON.parse(readFileSync(paths.running, "utf8")) as Running;
  } catch {
    return undefined;
  }
}

function describeRunning(paths: DataPaths): string {
  const running = findRunning(paths);
  if (running === undefined) return "";
  return ` (process ${running.pid}, ${running.apiUrl}, since ${running.startedAt})`;
}

/** The secret of the installation: 32 bytes, created at the first start. */
export function readOrCreateSecret(paths: DataPaths): Buffer {
  const secret = Buffer.from(readOrCreate(paths.secret, 32), "base64url");
  if (secret.length < 32) throw new DataDirError(`the secret in ${paths.secret} is damaged: restore it from a backup`);
  return secret;
}

/** Distinguishes this node's batches from those of other nodes for the lifetime of its log. */
export function readOrCreateId(paths: DataPaths): string {
  return readOrCreate(paths.nodeId, 9);
}

/** Random text, created once. Linking a finished file makes two concurrent first starts agree on one text. */
function readOrCreate(path: string, bytes: number): string {
  const read = () => readFileSync(path, "utf8").trim();
  try {
    return read();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT")
      throw new DataDirError(`cannot read ${path}: ${reason(cause)}`, cause);
  }
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(bytes).toString("base64url")}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  } finally {
    rmSync(draft);
  }
  // Also when another start linked it: keys are made with this secret next, and they must not outlive it.
  fsyncDirSync(dirname(path));
  return read();
}

/** Writes a file with secrets: complete or absent, and never readable by others, whatever the umask. */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    renameSync(draft, path);
    fsyncDirSync(dirname(path));
  } catch (cause) {
    rmSync(draft, { force: true });
    throw new DataDirError(`cannot write ${path}: ${reason(cause)}`, cause);
  }
}

/** Names that were made, renamed or removed in it are on disk afterwards: a flushed file whose name is lost is lost. */
export function fsyncDirSync(dir: string): void {
  const directory = openSync(dir, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
