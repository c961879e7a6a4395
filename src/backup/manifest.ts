import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import { isFailure } from "../engines/failures.ts";

/** A backup that cannot be made or used; the message is one line for the person who asked. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

/** What ends a backup or a restore from outside, as one line; a bug stays what it is. */
export function toBackupError(what: string, cause: unknown): unknown {
  if (isFailure(cause))
    return new BackupError(`${what} did not finish: the analytics engine failed: ${cause.message}`, { cause });
  const { syscall } = (cause ?? {}) as NodeJS.ErrnoException;
  if (!(cause instanceof Error) || syscall === undefined) return cause;
  return new BackupError(`${what} did not finish: ${cause.message}`, { cause });
}

/** Grows when an older version could not read a backup any more. 1 was that of the development before the first release. */
export const FORMAT = 2;
const ENGINE_NAMES = ["duckdb", "clickhouse"] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];
const NAME = "manifest.json";

/** Below the backup's directory, never out of it: a part never begins with a dot. */
const PATH = "^[a-z0-9_-][a-z0-9_.-]*(/[a-z0-9_-][a-z0-9_.-]*)*$";
const Count = Type.Integer({ minimum: 0 });
const Counts = Type.Record(Type.String(), Count);
const Place = Type.Object({ segment: Count, offset: Count });

const FileEntry = Type.Object({
  path: Type.String({ pattern: PATH }),
  part: Type.Union([Type.Literal("control"), Type.Literal("warehouse"), Type.Literal("log"), Type.Literal("secret")]),
  /** For rows: whose they are and how many. */
  table: Type.Optional(Type.String({ pattern: "^[a-z_]+$" })),
  rows: Type.Optional(Count),
  bytes: Count,
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
});

/** Written last: a directory without it is no backup. */
const ManifestSchema = Type.Object({
  format: Type.Integer({ minimum: 1 }),
  sextant: Type.String(),
  createdAt: Type.String(),
  control: Type.Object({ store: Type.String(), schema: Count, rows: Counts }),
  /** Which engine it was, and the version of its schema; rows are the same for both. */
  warehouse: Type.Object({ engine: Type.Enum([...ENGINE_NAMES]), schema: Count, rows: Counts }),
  /** Where the reader of the event log stood: what is below is in the rows. Without a log there is none. */
  cursor: Type.Optional(Place),
  /** `setting`: it was never in the data directory, SEXTANT_SECRET has it. */
  secret: Type.Union([Type.Literal("included"), Type.Literal("left out"), Type.Literal("setting")]),
  files: Type.Array(FileEntry),
});

export type Manifest = Static<typeof ManifestSchema>;
export type FileEntry = Static<typeof FileEntry>;

export function manifestPath(dir: string): string {
  return join(dir, NAME);
}

/** The newest schemas of this version. */
export interface KnownSchemas {
  control: number;
  warehouse: Readonly<Record<EngineName, number>>;
}

/** What a backup says about itself; refuses what this version cannot restore. */
export async function readManifest(dir: string, known: KnownSchemas): Promise<Manifest> {
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(manifestPath(dir), "utf8"));
  } catch (cause) {
    throw new BackupError(`${dir} holds no finished backup: ${(cause as Error).message}`, { cause });
  }
  const format = (manifest as { format?: unknown } | null)?.format;
  if (typeof format === "number" && format !== FORMAT)
    throw new BackupError(
      `the backup has format ${format}, this Sextant reads ${FORMAT}: restore it with ${format > FORMAT ? "a newer one" : "the version that made it"}`,
    );
  if (!Value.Check(ManifestSchema, manifest)) throw new BackupError(`${manifestPath(dir)} is damaged`);
  refuseNewer(manifest, "control", manifest.control.schema, known.control);
  refuseNewer(manifest, "warehouse", manifest.warehouse.schema, known.warehouse[manifest.warehouse.engine]);
  return manifest;
}

function refuseNewer({ sextant }: Manifest, part: string, schema: number, known: number): void {
  if (schema > known)
    throw new BackupError(
      `the backup's ${part} has schema version ${schema}, this Sextant knows ${known}: restore it with Sextant ${sextant}`,
    );
}
