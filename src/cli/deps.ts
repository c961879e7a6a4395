import type { LedgerLine } from "../contract/ledger-line.ts";
import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import type { Progress } from "./progress.ts";

/** What a command works with. It opens the control store itself, so that `--help` needs none. */
export interface CliDeps {
  open(): Promise<{ store: ControlStore; secret: Buffer; close(): Promise<void> }>;
  /** Opens the warehouse for one command. */
  openEvents(): Promise<EventsAdmin>;
  backup(options: { dir: string; withSecret: boolean; onProgress(progress: Progress): void }): Promise<BackupSummary>;
  restore(options: { dir: string; onProgress(progress: Progress): void }): Promise<BackupSummary>;
  /** Looks at the installation and changes nothing. */
  examine(): Promise<{ name: string; status: "ok" | "skip" | "warn" | "fail"; message: string; advice?: string }[]>;
  /** How people reach the API server, for the addresses of hosted forms. */
  apiUrl(): string;
  clock: Clock;
  /** Starts the service and resolves when it has stopped. */
  serve(): Promise<void>;
  readStdin(): Promise<string>;
  out(text: string): void;
  err(text: string): void;
  version: string;
}

/** What a backup says about itself. */
export interface BackupSummary {
  createdAt: string;
  secret: "included" | "left out" | "setting";
  control: { rows: Record<string, number> };
  warehouse: { rows: Record<string, number> };
  files: { bytes: number }[];
}

interface ParkedFilter {
  reason?: string | undefined;
  id?: string | undefined;
}

interface Parked {
  at: string;
  project_id: string;
  id: string;
  reason: string;
  details: string;
}

/** What the commands about events ask the warehouse. */
export interface EventsAdmin {
  ledger(projects: readonly string[], window: { fromMs: number; toMs: number }): Promise<LedgerLine[]>;
  /** Page by page, newest first, by the beginning of what was sent. */
  listParked(
    projects: readonly string[],
    filter: ParkedFilter & { limit: number },
  ): AsyncIterable<(Parked & { head: string; raw_bytes: number })[]>;
  /** The same with all of it. */
  readParked(
    projects: readonly string[],
    filter: ParkedFilter & { limit: number },
  ): AsyncIterable<(Parked & { raw: string })[]>;
  replay(
    projects: readonly string[],
    filter: ParkedFilter & { rules?: "tracked" | "raw" | undefined },
    onProgress: (result: { stored: number; stillInvalid: number }) => void,
  ): Promise<{ stored: number; stillInvalid: number }>;
  /** Rebuilds the derived tables; counts partitions. */
  rebuild(onProgress: (progress: { done: number; total: number }) => void): Promise<{ done: number; total: number }>;
  close(): Promise<void>;
}

/** A mistake of the caller; its message is one line and the exit code is 1. */
export class CliError extends Error {}
