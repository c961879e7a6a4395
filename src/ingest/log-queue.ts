import { LOG_START, type Position } from "./log-position.ts";
import type { Entry } from "./log-writer.ts";

interface Waiting extends Entry {
  readonly resolve: (position: Position) => void;
  readonly reject: (cause: Error) => void;
}

/** Appends that are not on disk yet, in order. */
export class LogQueue {
  #waiting: Waiting[] = [];
  #bytes = 0;

  /** Resolves when the entry is settled; rejects when it is refused. */
  add(entry: Entry): Promise<Position> {
    this.#bytes += entry.bytes;
    return new Promise((resolve, reject) => this.#waiting.push({ ...entry, resolve, reject }));
  }

  entries(): readonly Entry[] {
    return this.#waiting;
  }

  isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Includes the headers of the records. */
  bytes(): number {
    return this.#bytes;
  }

  /** The first entries are on disk, at these positions. */
  settle(positions: readonly Position[]): void {
    const done = this.#waiting.slice(0, positions.length);
    this.#waiting = this.#waiting.slice(positions.length);
    done.forEach((entry, i) => {
      this.#bytes -= entry.bytes;
      entry.resolve(positions[i] ?? LOG_START);
    });
  }

  /** Empties the queue. */
  refuseAll(cause: Error): void {
    const refused = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    for (const entry of refused) entry.reject(cause);
  }
}
