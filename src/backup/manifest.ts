import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import { isFailure } from "../engines/analytics.ts";

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

/** Grows when an older version could not read a backup any more. */
export const FORMAT = 1;
const NAME = "manifest.json";

/** Below the backup's directory, never out of it: a part never begins with a dot. */
const PATH = "^[a-z0-9_-][a-z0-9_.-]*(/[a-z0-9_-][a-z0-9_.-]*)*$";
const Count = Type.Integer({ minimum: 0 });
const Counts = Type.Record(Type.String(), Count);

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
  warehouse: Type.Object({ schema: Count, rows: Counts }),
  /** `setting`: it was never in the data directory, SEXTANT_SECRET has it. */
  secret: Type.Union([Type.Literal("included"), Type.Literal("left out"), Type.Literal("setting")]),
  files: Type.Array(FileEntry),
});

export type Manifest = Static<typeof ManifestSchema>;
export type FileEntry = Static<typeof FileEntry>;

export function manifestPath(dir: string): string {
  return join(dir, NAME);
}

/** What a backup says about itself; refuses what this version cannot restore. */
export async function readManifest(dir: string, known: { control: number; warehouse: number }): Promise<Manifest> {
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(manifestPath(dir), "utf8"));
  } catch (cause) {
    throw new BackupError(`${dir} holds no finished backup: ${(cause as Error).message}`, { cause });
  }
  const format = (manifest as { format?: unknown } | null)?.format;
  if (typeof format === "number" && format > FORMAT)
    throw new BackupError(`the backup has format ${format}, this Sextant reads ${FORMAT}: restore it with a newer one`);
  if (!Value.Check(ManifestSchema, manifest)) throw new BackupError(`${manifestPath(dir)} is damaged`);
  const newer = (["control", "warehouse"] as const).find((part) => manifest[part].schema > known[part]);
  if (newer !== undefined)
    throw new BackupError(
      `the backup's ${newer} has schema version ${manifest[newer].schema}, this Sextant knows ${known[newer]}: restore it with Sextant ${manifest.sextant}`,
    );
  return manifest;
}
