import type { Files } from "../lib/files.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { comparePositions, LOG_START, type Position } from "./log-position.ts";
import { endOf, isFilled, type Segment } from "./segment-scan.ts";

interface SegmentsDeps {
  readonly dir: string;
  readonly files: Files;
  readonly logger: WarnLog;
}

/** The segments on disk. The writer appends to the list, and finished segments are removed from its head. */
export class LogSegments {
  readonly #list: Segment[];
  readonly #deps: SegmentsDeps;
  #bytes = 0;
  // Not the consumed position: the engine may hold those events in a log of its own, which is not durable yet.
  #released = LOG_START;

  /** `list` is the live list that the writer appends to. */
  constructor(list: Segment[], deps: SegmentsDeps) {
    this.#list = list;
    this.#deps = deps;
    this.measure();
  }

  list(): readonly Segment[] {
    return this.#list;
  }

  /** Bytes of records and headers on disk at the last measurement: an append reads it, a commit changes it. */
  bytes(): number {
    return this.#bytes;
  }

  measure(): void {
    this.#bytes = this.#list.reduce((sum, segment) => sum + segment.end, 0);
  }

  end(): Position {
    const active = this.#list.at(-1);
    return active === undefined ? LOG_START : endOf(active);
  }

  /** Whether everything that was ever written is released. */
  isDrained(): boolean {
    return this.#list.every((segment) => !isFilled(segment) || this.#isReleased(segment));
  }

  async release(upTo: Position): Promise<void> {
    if (comparePositions(upTo, this.#released) > 0) this.#released = upTo;
    await this.removeReleased();
  }

  /** Oldest first, so that the segments left after a crash are still consecutive. The current segment stays. */
  async removeReleased(): Promise<void> {
    const { dir, files, logger } = this.#deps;
    const done = this.#list.slice(0, -1).filter((segment) => this.#isReleased(segment));
    for (const segment of done) await this.#remove(segment);
    if (done.length > 0) await tolerate(files.fsyncDir(dir), logger, "a segment that reappears is released again");
  }

  async #remove(segment: Segment): Promise<void> {
    try {
      await this.#deps.files.unlink(segment.path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    }
    // Searched after the wait, because a commit may have started a segment or another release removed this one.
    const at = this.#list.indexOf(segment);
    if (at !== -1) this.#list.splice(at, 1);
    this.measure();
  }

  #isReleased(segment: Segment): boolean {
    return comparePositions(endOf(segment), this.#released) <= 0;
  }
}
