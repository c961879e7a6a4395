import type { Files } from "../lib/files.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { comparePositions, LOG_START, type Position } from "./log-position.ts";
import { endOf, isFilled, type Segment } from "./segment-scan.ts";

interface SegmentsDeps {
  readonly dir: string;
  readonly files: Files;
  readonly logger: WarnLog;
}

/** The segments on disk: the writer adds at the end of the list, and what the reader has finished leaves at its head. */
export class LogSegments {
  readonly #list: Segment[];
  readonly #deps: SegmentsDeps;
  #bytes = 0;
  // Not what was consumed: the engine may hold that in a log of its own, which is not safe yet.
  #released = LOG_START;

  /** `list` is the live list that the writer adds to. */
  constructor(list: Segment[], deps: SegmentsDeps) {
    this.#list = list;
    this.#deps = deps;
    this.measure();
  }

  list(): readonly Segment[] {
    return this.#list;
  }

  /** Of records and headers on disk, when it was last measured: an append asks for it, a commit changes it. */
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

  /** Is everything released that was ever written? */
  isDrained(): boolean {
    return this.#list.every((segment) => !isFilled(segment) || this.#isReleased(segment));
  }

  async release(upTo: Position): Promise<void> {
    if (comparePositions(upTo, this.#released) > 0) this.#released = upTo;
    await this.removeReleased();
  }

  /** Oldest first, so that what is left after a crash is still one run of segments. The one that is written stays. */
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
    // Looked up after the wait: a commit may have begun a segment, or another release removed this one.
    const at = this.#list.indexOf(segment);
    if (at !== -1) this.#list.splice(at, 1);
    this.measure();
  }

  #isReleased(segment: Segment): boolean {
    return comparePositions(endOf(segment), this.#released) <= 0;
  }
}
