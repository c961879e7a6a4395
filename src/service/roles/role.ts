import type { Registry } from "prom-client";
import type { ReadyCheck } from "../../contract/ready-check.ts";

/** The result of opening a role. */
export interface OpenedRole {
  readonly checks: readonly ReadyCheck[];
  readonly metrics: Registry;
  close(): Promise<void>;
}
