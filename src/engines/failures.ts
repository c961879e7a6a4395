/** The failures of the analytics engine: a closed list, so that a caller can map each one to an answer of its own. */
export type EngineFailure = EngineDown | EngineBusy | EngineRefused;

/** Unavailable: not reachable, disconnected during a call, or without its Keeper. The same call may succeed later. */
export class EngineDown extends Error {
  override readonly name = "EngineDown";
  readonly kind = "down";
}

/**
 * It answers, but a limit was reached: time, memory, concurrent queries, disk. The call may succeed later or smaller.
 */
export class EngineBusy extends Error {
  override readonly name = "EngineBusy";
  readonly kind = "busy";
}

/** The statement or the data is wrong; repeating it cannot help. */
export class EngineRefused extends Error {
  override readonly name = "EngineRefused";
  readonly kind = "refused";
  /** The engine's own error code, if it has one. */
  readonly code: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly code?: number } = {}) {
    super(message, options);
    this.code = options.code;
  }
}

export function isFailure(cause: unknown): cause is EngineFailure {
  return cause instanceof EngineDown || cause instanceof EngineBusy || cause instanceof EngineRefused;
}
