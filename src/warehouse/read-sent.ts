/**
 * Reads the events of a body that was found clean, and builds of each only what enrichment reads: `context` and
 * `properties` are stored as they were sent. An event whose text is not what JSON.stringify would write is parsed.
 */
import { isAscii, isUtf8 } from "node:buffer";
import { LIMITS } from "../contract/limits.ts";
import { type Body, CONTEXT_FIELDS, EVENT_FIELDS, PROPERTY_FIELDS } from "../enrich/fields.ts";
import { type Item, readCleanBody } from "../ingest/read-body.ts";
import type { Wanted } from "../lib/json-names.ts";
import { parseKeepingNumbers } from "../lib/json-numbers.ts";
import { createJsonScan, FOUND_WORDS, type JsonScan, KIND } from "../lib/json-scan.ts";
import { KnownTexts } from "../lib/known-texts.ts";
import { TextBytes } from "../lib/text-bytes.ts";

/** An event of a body: all of it in `event`, or all but the objects that are stored as sent. */
export interface SentItem extends Item {
  /** False if `event` has only fields of the contract. */
  readonly hasOthers?: boolean;
  readonly context?: Body | undefined;
  readonly properties?: Body | undefined;
}

type Values = Record<string, unknown>;

/** The slots of the three lists follow each other. */
const NAMES = [...EVENT_FIELDS, ...CONTEXT_FIELDS, ...PROPERTY_FIELDS];
const CONTEXT_FROM = EVENT_FIELDS.length;
const PROPERTIES_FROM = CONTEXT_FROM + CONTEXT_FIELDS.length;
const CONTEXT = EVENT_FIELDS.indexOf("context");
const PROPERTIES = EVENT_FIELDS.indexOf("properties");

const slotsOf = (names: readonly string[], from: number): Wanted =>
  new Map(names.map((name, nth) => [name, { slot: from + nth }]));
const IN_CONTEXT = slotsOf(CONTEXT_FIELDS, CONTEXT_FROM);
const IN_PROPERTIES = slotsOf(PROPERTY_FIELDS, PROPERTIES_FROM);
const WANTED: Wanted = new Map([
  ...slotsOf(EVENT_FIELDS, 0),
  ["context", { slot: CONTEXT, inner: IN_CONTEXT }],
  ["properties", { slot: PROPERTIES, inner: IN_PROPERTIES }],
]);

/** Of these nearly every event has another one: they are not sought among those before. */
const DIFFERENT: ReadonlySet<string> = new Set([
  "message_id",
  "original_timestamp",
  "sent_at",
  "anonymous_id",
  "user_id",
  "address",
  "session_id",
] satisfies (typeof NAMES)[number][]);
const REPEATS = NAMES.map((name) => !DIFFERENT.has(name));

/**
 * The fields of an object by name, kept by number. All are of one hidden class, unlike the objects that clients send,
 * so steps read them twice as fast; storing 20 values by name took 1.5 us.
 */
function fieldsAt(names: readonly string[], from: number) {
  class Fields {
    readonly values: readonly unknown[];
    constructor(values: readonly unknown[]) {
      this.values = values;
    }
  }
  names.forEach((name, nth) => {
    const slot = from + nth;
    const get = function (this: Fields) {
      return this.values[slot];
    };
    Object.defineProperty(Fields.prototype, name, { get });
  });
  return Fields as unknown as new (
    values: readonly unknown[],
  ) => Values;
}

const ContextFields = fieldsAt(CONTEXT_FIELDS, CONTEXT_FROM);
const PropertyFields = fieldsAt(PROPERTY_FIELDS, PROPERTIES_FROM);

const AT = Object.fromEntries(EVENT_FIELDS.map((name, slot) => [name, slot])) as Record<
  (typeof EVENT_FIELDS)[number],
  number
>;

class Sent implements SentItem {
  readonly event: Values;
  readonly invalid = undefined;
  readonly hasOthers = false;
  context: Body | undefined;
  properties: Body | undefined;
  readonly #source: Source;
  readonly #start: number;
  readonly #end: number;

  constructor(values: readonly unknown[], source: Source, { start, end }: JsonScan) {
    this.event = {
      channel: values[AT.channel],
      type: values[AT.type],
      anonymous_id: values[AT.anonymous_id],
      user_id: values[AT.user_id],
      address: values[AT.address],
      event: values[AT.event],
      context: values[AT.context],
      properties: values[AT.properties],
      version: values[AT.version],
      original_timestamp: values[AT.original_timestamp],
      sent_at: values[AT.sent_at],
      message_id: values[AT.message_id],
    };
    this.#source = source;
    this.#start = start;
    this.#end = end;
  }

  /** Read only if the event is parked. */
  get raw(): string {
    return this.#source.whole(this.#start, this.#end);
  }
}

const NOTHING: readonly unknown[] = NAMES.map(() => undefined);

export function createSentReader(): (body: Buffer) => SentItem[] {
  const scan = createJsonScan(WANTED, LIMITS.jsonDepth);
  const contextScan = createJsonScan(IN_CONTEXT, LIMITS.jsonDepth);
  const propertyScan = createJsonScan(IN_PROPERTIES, LIMITS.jsonDepth);
  const known = new KnownTexts();

  function build(source: Source): SentItem {
    const values = NOTHING.slice();
    source.read(scan, values);
    const sent = new Sent(values, source, scan);
    const context = findBytes(values, CONTEXT, contextScan);
    if (context !== undefined) sent.context = { kind: "body", fields: new ContextFields(values), text: context };
    const properties = findBytes(values, PROPERTIES, propertyScan);
    if (properties !== undefined)
      sent.properties = { kind: "body", fields: new PropertyFields(values), text: properties };
    return sent;
  }

  /** The text of an object whose fields are read, now if it came as a text. */
  function findBytes(values: unknown[], slot: number, within: JsonScan): TextBytes | undefined {
    const text = values[slot];
    if (typeof text !== "string") return text instanceof TextBytes ? text : undefined;
    const bytes = Buffer.from(text);
    within.open(bytes);
    if (within.next() !== "object" || within.isList || within.next() !== "end") return undefined;
    new Source(bytes, bytes.length === text.length ? text : undefined, known).read(within, values);
    return new TextBytes(bytes, 0, bytes.length);
  }

  return (body) => {
    const items: SentItem[] = [];
    const ascii = isAscii(body) ? body.toString("latin1") : undefined;
    // Acceptance refuses it. Its bytes would be stored, and the engine would refuse the batch again and again.
    if (ascii === undefined && !isUtf8(body)) throw new Error("the body is not valid UTF-8");
    const source = new Source(body, ascii, known);
    scan.open(body);
    for (let next = scan.next(); next !== "end"; next = scan.next()) {
      // Everything before it was read as the parser reads it.
      if (next === "unclear") return items.concat(readCleanBody(body).slice(items.length));
      if (scan.hasOthers) {
        const event = parseKeepingNumbers(source.whole(scan.start, scan.end)) as Values;
        items.push({ event, invalid: undefined });
      } else items.push(build(source));
    }
    return items;
  };
}

/** A text whose values are read. */
class Source {
  readonly #bytes: Buffer;
  /** The offsets of its characters are those of the bytes. */
  readonly #latin: string;
  readonly #isAscii: boolean;
  readonly #view: DataView;
  readonly #known: KnownTexts;

  /** The text is given if it is ASCII. */
  constructor(bytes: Buffer, ascii: string | undefined, known: KnownTexts) {
    this.#bytes = bytes;
    this.#latin = ascii ?? bytes.toString("latin1");
    this.#isAscii = ascii !== undefined;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#known = known;
  }

  whole(start: number, end: number): string {
    return this.#isAscii ? this.#latin.slice(start, end) : this.#bytes.toString("utf8", start, end);
  }

  /** Puts what was found at its slot: of objects that are stored as sent the text. */
  read({ found, count }: JsonScan, values: unknown[]): void {
    for (let at = 0; at < count * FOUND_WORDS; at += FOUND_WORDS) {
      const slot = found[at] as number;
      const kind = found[at + 1] as number;
      const start = found[at + 2] as number;
      const end = found[at + 3] as number;
      if (kind === KIND.object && (slot === CONTEXT || slot === PROPERTIES))
        values[slot] = new TextBytes(this.#bytes, start, end);
      else values[slot] = kind <= KIND.escaped ? this.#string(slot, kind, start, end) : this.#other(kind, start, end);
    }
  }

  #string(slot: number, kind: number, start: number, end: number): string {
    if (!REPEATS[slot])
      return kind === KIND.text ? this.#latin.slice(start + 1, end - 1) : this.#decode(kind, start, end);
    const known = this.#known.find(this.#view, start + 1, end - 1);
    // Decoded: a part of a larger text would keep all of that in memory.
    return known ?? this.#known.put(this.#decode(kind, start, end));
  }

  #decode(kind: number, start: number, end: number): string {
    if (kind === KIND.escaped) return JSON.parse(this.whole(start, end)) as string;
    return this.#bytes.toString(kind === KIND.text ? "latin1" : "utf8", start + 1, end - 1);
  }

  #other(kind: number, start: number, end: number): unknown {
    if (kind === KIND.null) return null;
    return kind === KIND.number ? Number(this.whole(start, end)) : JSON.parse(this.whole(start, end));
  }
}
