/**
 * Reads the events of a body that was found clean, and builds of each only what enrichment reads: `context` and
 * `properties` are stored as they were sent. An event whose text is not what JSON.stringify would write is parsed.
 */
import { isAscii } from "node:buffer";
import { LIMITS } from "../contract/limits.ts";
import { type Body, CONTEXT_FIELDS, EVENT_FIELDS, PROPERTY_FIELDS } from "../enrich/fields.ts";
import { type Item, readCleanBody } from "../ingest/read-body.ts";
import type { Wanted } from "../lib/json-names.ts";
import { parseKeepingNumbers } from "../lib/json-numbers.ts";
import { createJsonScan, FOUND_WORDS, type JsonScan, KIND } from "../lib/json-scan.ts";

/** An event of a body: all of it in `event`, or all but the objects that are stored as sent. */
export interface SentItem extends Item {
  readonly context?: Body | undefined;
  readonly properties?: Body | undefined;
}

type Values = Record<string, unknown>;

class Sent implements SentItem {
  readonly event: Values = { ...NO_EVENT };
  readonly invalid = undefined;
  context: Body | undefined;
  properties: Body | undefined;
  readonly #values: SentValues;
  readonly #start: number;
  readonly #end: number;

  constructor(values: SentValues, start: number, end: number) {
    this.#values = values;
    this.#start = start;
    this.#end = end;
  }

  /** Read only if the event is parked. */
  get raw(): string {
    return this.#values.whole(this.#start, this.#end);
  }
}

const LISTS = [EVENT_FIELDS, CONTEXT_FIELDS, PROPERTY_FIELDS];
/** The slots of the three lists follow each other. */
const NAMES = LISTS.flat();
const CONTEXT_FROM = EVENT_FIELDS.length;
const PROPERTIES_FROM = CONTEXT_FROM + CONTEXT_FIELDS.length;
const [CONTEXT, PROPERTIES] = [EVENT_FIELDS.indexOf("context"), EVENT_FIELDS.indexOf("properties")];

const slotsOf = (names: readonly string[], from: number): Wanted =>
  new Map(names.map((name, nth) => [name, { slot: from + nth }]));
const WANTED: Wanted = new Map([
  ...slotsOf(EVENT_FIELDS, 0),
  ["context", { slot: CONTEXT, inner: slotsOf(CONTEXT_FIELDS, CONTEXT_FROM) }],
  ["properties", { slot: PROPERTIES, inner: slotsOf(PROPERTY_FIELDS, PROPERTIES_FROM) }],
]);

/** Objects of one hidden class: steps read them twice as fast as objects of all the classes that clients send. */
const [NO_EVENT, NO_CONTEXT, NO_PROPERTIES] = LISTS.map((names) => {
  // Parsed, because an object that is built name by name becomes a hash table.
  const blank = JSON.parse(`{${names.map((name) => `"${name}":null`).join()}}`) as Values;
  for (const name of names) blank[name] = undefined;
  return blank;
}) as [Values, Values, Values];

export function createSentReader(): (body: Buffer) => SentItem[] {
  const scan = createJsonScan(WANTED, LIMITS.jsonDepth);
  return (body) => {
    const items: SentItem[] = [];
    // The offsets of its characters are those of the bytes.
    const latin = body.toString("latin1");
    const values = createValues(body, latin, isAscii(body));
    scan.open(body);
    for (let next = scan.next(); next !== "end"; next = scan.next()) {
      // Everything before it was read as the parser reads it.
      if (next === "unclear") return items.concat(readCleanBody(body).slice(items.length));
      if (scan.hasOthers) {
        const event = parseKeepingNumbers(values.whole(scan.start, scan.end)) as Values;
        items.push({ event, invalid: undefined });
      } else items.push(build(scan, values));
    }
    return items;
  };
}

function build({ found, count, start: from, end: to }: JsonScan, values: SentValues): SentItem {
  const sent = new Sent(values, from, to);
  const inContext = { ...NO_CONTEXT };
  const inProperties = { ...NO_PROPERTIES };
  for (let at = 0; at < count * FOUND_WORDS; at += FOUND_WORDS) {
    const slot = found[at] as number;
    const kind = found[at + 1] as number;
    const start = found[at + 2] as number;
    const end = found[at + 3] as number;
    if (kind === KIND.object && slot === CONTEXT)
      sent.context = { kind: "body", fields: inContext, text: values.whole(start, end) };
    else if (kind === KIND.object && slot === PROPERTIES)
      sent.properties = { kind: "body", fields: inProperties, text: values.whole(start, end) };
    else {
      const target = slot < CONTEXT_FROM ? sent.event : slot < PROPERTIES_FROM ? inContext : inProperties;
      target[NAMES[slot] as string] = values.one(kind, start, end);
    }
  }
  return sent;
}

interface SentValues {
  one(kind: number, start: number, end: number): unknown;
  whole(start: number, end: number): string;
}

function createValues(body: Buffer, latin: string, isLatin: boolean): SentValues {
  const whole = (start: number, end: number) => (isLatin ? latin.slice(start, end) : body.toString("utf8", start, end));
  return {
    whole,
    one(kind, start, end) {
      if (kind === KIND.text) return latin.slice(start + 1, end - 1);
      if (kind === KIND.wide) return body.toString("utf8", start + 1, end - 1);
      return JSON.parse(whole(start, end));
    },
  };
}
