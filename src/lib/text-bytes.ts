/**
 * A text that is a part of others, in UTF-8. It is only copied: as a string it would be decoded and encoded again, 1.5 us
 * for the context of an event with one letter beyond ASCII.
 */
export class TextBytes {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  toString(): string {
    return this.bytes.toString("utf8", this.start, this.end);
  }
}
