import type { Static } from "typebox";
import type { LedgerLine } from "../contract/ledger-line.ts";
import type { EraseAnswer } from "../contract/profile-writes.ts";
import type { ControlStore } from "../control/store.ts";
import type { DaysWarehouse } from "../imports/days/warehouse.ts";
import type { Clock } from "../lib/clock.ts";
import type { WriteWallets } from "../profiles/write-wallets.ts";
import type { Progress } from "./progress.ts";

/** The dependencies of commands. A command opens the control store itself, so that `--help` needs none. */
export interface CliDeps {
  open(): Promise<{ store: ControlStore; secret: Buffer; close(): Promise<void> }>;
  /** Opens the warehouse for one command. */
  openEvents(): Promise<EventsAdmin>;
  backup(options: { dir: string; withSecret: boolean; onProgress(progress: Progress): void }): Promise<BackupSummary>;
  restore(options: { dir: string; onProgress(progress: Progress): void }): Promise<BackupSummary>;
  /** Checks the installation and changes nothing. */
  examine(): Promise<{ name: string; status: "ok" | "skip" | "warn" | "fail"; message: string; advice?: string }[]>;
  /** Sends a mail as the service would, at once. */
  sendTestMail(address: string): Promise<{ isSent: boolean; message: string }>;
  /** The public URL of the API server, for the addresses of hosted forms. */
  apiUrl(): string;
  /** The events server: that of the service that runs here, or the configured one. Undefined if there is none. */
  eventsUrl(): string | undefined;
  clock: Clock;
  /** Starts the service and resolves when it has stopped. */
  serve(): Promise<void>;
  readStdin(): Promise<string>;
  out(text: string): void;
  err(text: string): void;
  version: string;
}

/** The contents of a backup, by its manifest. */
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

/** The warehouse as the event commands use it. */
export interface EventsAdmin {
  ledger(projects: readonly string[], window: { fromMs: number; toMs: number }): Promise<LedgerLine[]>;
  /** Page by page, newest first, each event with the beginning of its body. */
  listParked(
    projects: readonly string[],
    filter: ParkedFilter & { limit: number },
  ): AsyncIterable<(Parked & { head: string; raw_bytes: number })[]>;
  /** The same with whole bodies. */
  readParked(
    projects: readonly string[],
    filter: ParkedFilter & { limit: number },
  ): AsyncIterable<(Parked & { raw: string })[]>;
  replay(
    projects: readonly string[],
    filter: ParkedFilter & { rules?: "tracked" | "raw" | undefined },
    onProgress: (result: { stored: number; stillInvalid: number }) => void,
  ): Promise<{ stored: number; stillInvalid: number }>;
  /** Rebuilds the derived tables, with progress in partitions. */
  rebuild(onProgress: (progress: { done: number; total: number }) => void): Promise<{ done: number; total: number }>;
  /** Resolves with the receipt. */
  /** Undefined: it is no address, and no event has it. */
  eraseWallet(
    projectId: string,
    wallet: string,
    nowMs: number,
  ): Promise<{ address: string; receipt: Static<typeof EraseAnswer> } | undefined>;
  /** Days that another product counted. */
  days: DaysWarehouse;
  /** Writes what an import says about wallets. */
  writeWallets: WriteWallets;
  close(): Promise<void>;
}

/** A mistake of the caller: one line on standard error and exit code 1. */
export class CliError extends Error {}
