import type { Registry } from "prom-client";
import type { ReadyCheck } from "../../contract/ready-check.ts";

/** What an opened role gives back to the service. */
export interface OpenedRole {
  readonly checks: readonly ReadyCheck[];
  readonly metrics: Registry;
  close(): Promise<void>;
}
