import type { EngineLimits } from "./limits.ts";

/** What the service says to the engine's process. The token goes this way: a command line is public. */
export type ToEngine =
  | {
      readonly type: "start";
      readonly dir: string;
      /** The port of the life before, so that the address stays; 0 to choose one. */
      readonly port: number;
      readonly token: string;
      readonly limits: EngineLimits;
      readonly lockWaitMs: number;
    }
  | { readonly type: "stop"; readonly graceMs: number };

export type FromEngine =
  | { readonly type: "ready"; readonly port: number }
  | { readonly type: "failed"; readonly reason: string };
