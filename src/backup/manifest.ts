import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import { isFailure } from "../engines/failures.ts";

/** A backup that cannot be made or used; the message is one line for the operator. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

/** Turns a failure of the engine or the system into one line. A bug is returned unchanged. */
export function toBackupError(what: string, cause: unknown): unknown {
  if (isFailure(cause))
    return new BackupError(`${what} did not finish: the analytics engine failed: ${cause.message}`, { cause });
  const { syscall } = (cause ?? {}) as NodeJS.ErrnoException;
  if (!(cause instanceof Error) || syscall === undefined) return cause;
  return new BackupError(`${what} did not finish: ${cause.message}`, { cause });
}

/** Incremented when older versions cannot read a backup. 1 was the format before the first release. */
export const FORMAT = 2;
const ENGINE_NAMES = ["duckdb", "clickhouse"] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];
const NAME = "manifest.json";

/** A path below the backup's directory: no part begins with a dot. */
const PATH = "^[a-z0-9_-][a-z0-9_.-]*(/[a-z0-9_-][a-z0-9_.-]*)*$";
const Count = Type.Integer({ minimum: 0 });
const Counts = Type.Record(Type.String(), Count);
const Place = Type.Object({ segment: Count, offset: Count });

const FileEntry = Type.Object({
  path: Type.String({ pattern: PATH }),
  part: Type.Union([Type.Literal("control"), Type.Literal("warehouse"), Type.Literal("log"), Type.Literal("secret")]),
  /** For files of rows: their table and number. */
  table: Type.Optional(Type.String({ pattern: "^[a-z_]+$" })),
  rows: Type.Optional(Count),
  bytes: Count,
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
});

/** Written last: a directory without a manifest is not a backup. */
const ManifestSchema = Type.Object({
  format: Type.Integer({ minimum: 1 }),
  sextant: Type.String(),
  createdAt: Type.String(),
  control: Type.Object({ store: Type.String(), schema: Count, rows: Counts }),
  /** The engine and the version of its schema; the rows have the same format for both engines. */
  warehouse: Type.Object({ engine: Type.Enum([...ENGINE_NAMES]), schema: Count, rows: Counts }),
  /** The log's cursor: events before it are in the rows. Absent if there is no log. */
  cursor: Type.Optional(Place),
  /** `setting`: SEXTANT_SECRET holds the secret, the data directory does not. */
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

/** Reads a manifest; refuses a backup that this version cannot restore. */
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
      `the backup has format ${format}, this Sextant reads ${FORMAT}: ` +
        `restore it with ${format > FORMAT ? "a newer one" : "the version that made it"}`,
    );
  if (!Value.Check(ManifestSchema, manifest)) throw new BackupError(`${manifestPath(dir)} is damaged`);
  refuseNewer(manifest, "control", manifest.control.schema, known.control);
  refuseNewer(manifest, "warehouse", manifest.warehouse.schema, known.warehouse[manifest.warehouse.engine]);
  return manifest;
}

function refuseNewer({ sextant }: Manifest, part: string, schema: number, known: number): void {
  if (schema > known)
    throw new BackupError(
      `the backup's ${part} has schema version ${schema}, this Sextant knows ${known}: ` +
        `restore it with Sextant ${sextant}`,
    );
}
