import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";

/** What a command works with. It opens the control store itself, so that `--help` needs none. */
export interface CliDeps {
  open(): Promise<{ store: ControlStore; secret: Buffer; close(): Promise<void> }>;
  clock: Clock;
  /** Starts the service and resolves when it has stopped. */
  serve(): Promise<void>;
  readStdin(): Promise<string>;
  out(text: string): void;
  err(text: string): void;
  version: string;
}

/** A mistake of the caller; its message is one line and the exit code is 1. */
export class CliError extends Error {}
