import type { EngineLimits } from "../limits.ts";

/** Messages from the service to the engine's process. They carry the token, because a command line is public. */
export type ToEngine =
  | {
      readonly type: "start";
      readonly dir: string;
      /** The port of the previous process, so that the address stays; 0 for any port. */
      readonly port: number;
      readonly token: string;
      readonly limits: EngineLimits;
      readonly lockWaitMs: number;
    }
  | { readonly type: "stop"; readonly graceMs: number };

export type FromEngine =
  | { readonly type: "ready"; readonly port: number }
  | { readonly type: "failed"; readonly reason: string };
