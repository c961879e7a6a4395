/** Where the events of an import go: the ingest path, whoever calls. */
export interface Door {
  /** Resolves once the events are on disk. The texts are JSON. Waits while the service cannot take them. */
  send(texts: readonly string[], signal: AbortSignal): Promise<Sent>;
  /** Counts rows that did not become events in the ledger, as refused. */
  refuse(count: number, signal: AbortSignal): Promise<void>;
}

export interface Sent {
  /** Index of an event -> why it was not taken. */
  readonly refused: ReadonlyMap<number, string>;
}
