import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { sampleEvent } from "./events.ts";

/** One request to the events server, and its expected result as far as it is known. */
export interface OddBody {
  body: Uint8Array<ArrayBuffer>;
  path: string;
  headers: Record<string, string>;
  markers: string[];
  /** The number of events in the text, valid or not; 1 if there is none. */
  items: number;
  /** Sent twice: each event has its own id, so the second request stores nothing. */
  twice: boolean;
  /** The client disconnects after this many bytes of the body. */
  cutAfter?: number;
  /** The expected status, if it is certain. */
  status?: number;
}

interface Dice {
  chance(probability: number): boolean;
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
}

/** JSON texts that no value serializes to: each replaces a placeholder text. */
const TOKENS = { "@1e400": "1e400", "@-1e400": "-1e400", "@NaN": "NaN", "@proto": '"__proto__"' } as const;

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e300,
  "",
  " ",
  "\u0000",
  "\ud800",
  "\udfff x",
  "ü".repeat(300),
  [],
  [[]],
  {},
  { a: { b: 1 } },
  "null",
  "{}",
  "[]",
  '{"a":1}',
  "{oops",
  "1970-01-01T00:00:00Z",
  "2100-06-01T00:00:00Z",
  "2026-02-30T00:00:00Z",
  "not a time",
  1_700_000_000_000,
  "x".repeat(70),
  "'; DROP TABLE events; --",
];
const FIELDS = [
  "channel",
  "type",
  "anonymous_id",
  "user_id",
  "address",
  "event",
  "context",
  "properties",
  "version",
  "original_timestamp",
  "sent_at",
  "message_id",
];

const MIB = 1024 * 1024;
/** One in so many is large: a few of each kind in a run, but not so many at once that the server has no room. */
const LARGE_EVERY = 200;
const BOMB = pack(gzipSync(Buffer.alloc(200 * MIB, " ")));

/** Numbered bodies, reproducible by the seed. */
export function createOddBodies(seed: number): (number: number) => OddBody {
  const dice = createDice(seed);
  return (number) => (number % LARGE_EVERY === 0 ? makeLarge(number) : makeBody(dice, number));
}

function createDice(seed: number): Dice {
  let state = (seed % 2_147_483_647) + 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const below = (limit: number) => Math.floor(random() * limit);
  return { chance: (probability) => random() < probability, below, pick: (list) => list[below(list.length)] as never };
}

/** An event with its marker, and sometimes something wrong with it. */
function makeEvent({ chance, pick }: Dice, marker: string): Record<string, unknown> {
  const event = sampleEvent(marker, { anonymous_id: marker });
  if (chance(0.3))
    event.properties = {
      revenue: pick([1, "2.5", "NaN", "1e400", "@1e400", "@-1e400", -3, 2e9, "x"]),
      chain_id: pick([1, "0x1", "8453", {}, -1, "@1e400"]),
    };
  if (chance(0.3))
    event.context = {
      page_url: pick(["https://a.example/x?utm_source=x", "not a url", "http://[", "javascript:1", ""]),
      referrer: pick(["https://t.co/", "::", 5]),
    };
  if (chance(0.15))
    event.properties = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
  if (chance(0.1)) {
    const depth = pick([5, 31, 40]);
    event.properties = `${'{"d":'.repeat(depth)}1${"}".repeat(depth)}`;
  }
  if (chance(0.2))
    event.original_timestamp = pick([
      "1970-01-01T00:00:00Z",
      "2100-06-01T00:00:00Z",
      "2014-01-01T00:00:00Z",
      "2026-11-01 10:00:00",
      event.original_timestamp,
    ]);
  if (chance(0.4)) {
    const field = pick(FIELDS);
    // The two ids stay recognizable: an odd text would make another, valid event.
    const odd = pick(
      field === "anonymous_id" || field === "message_id"
        ? ODD_VALUES.filter((value) => typeof value !== "string")
        : ODD_VALUES,
    );
    event[field] = odd;
  }
  if (chance(0.1)) delete event[pick(FIELDS)];
  if (chance(0.02)) event.properties = { big: "z".repeat(300 * 1024) };
  if (chance(0.05)) event[pick(["__proto__x", "extra", "ip", "password"])] = pick(ODD_VALUES);
  if (chance(0.05)) event["@proto"] = pick([{ polluted: true, message_id: "inherited" }, ...ODD_VALUES]);
  if (chance(0.01)) event[pick(["version", "extra"])] = pick(["@1e400", "@NaN"]);
  return event;
}

function toText(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /"(@(?:-?1e400|NaN|proto))"/g,
    (_, name: keyof typeof TOKENS) => TOKENS[name],
  );
}

function countItems(text: string, lines: boolean): number {
  if (lines) return text.split("\n").filter((line) => line.trim() !== "").length;
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return Array.isArray(value) ? value.length : 1;
  } catch {
    return 1;
  }
}

function makeBody(dice: Dice, number: number): OddBody {
  const { chance, below, pick } = dice;
  const single = chance(0.4);
  const size = single ? 1 : 1 + below(8);
  const markers = Array.from({ length: size }, (_, i) => `fz-${number}-${i}`);
  const events = markers.map((marker) => makeEvent(dice, marker));
  const lines = !single && chance(0.3);
  let text = lines ? events.map(toText).join("\n") : toText(single ? events[0] : events);
  if (chance(0.05)) text = text.slice(0, below(text.length));
  if (chance(0.03)) text = text.replace("{", pick(["[", "{{", "\u0000{", "\ufeff{"]));
  if (chance(0.01)) text = "[".repeat(10_000) + "]".repeat(10_000);
  const headers: Record<string, string> = {
    "content-type": lines ? "application/x-ndjson" : pick(["application/json", "text/plain"]),
  };
  let body: Uint8Array<ArrayBuffer> = new Uint8Array(Buffer.from(text));
  const packers = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync } as const;
  if (chance(0.2)) {
    const encoding = pick(Object.keys(packers) as (keyof typeof packers)[]);
    body = pack(packers[encoding](body));
    headers["content-encoding"] = encoding;
    if (chance(0.1)) body = body.slice(0, body.length - 3);
  }
  if (chance(0.02)) body[below(body.length)] = 0xff;
  const path = pick(["/v0/events", "/v0/raw_events"]) + pick(["", "?detail=true"]);
  const twice = chance(0.1) && events.every((event) => typeof event.message_id === "string");
  const made = { body, path, headers, markers, items: countItems(text, lines), twice };
  if (chance(0.02))
    return withWrongType(made, pick(["application/xml", "image/png", "multipart/form-data; boundary=x"]));
  return chance(0.02) && body.length > 1 ? { ...made, twice: false, cutAfter: below(body.length) } : made;
}

function withWrongType(made: OddBody, type: string): OddBody {
  return { ...made, headers: { ...made.headers, "content-type": type }, items: 1, twice: false, status: 415 };
}

/** Each kind in turn: a body over its limits, compressed or not, and a batch over its limits. */
function makeLarge(number: number): OddBody {
  const common = { path: "/v0/raw_events", headers: { "content-type": "application/json" }, twice: false, status: 413 };
  const marker = `fz-${number}-0`;
  const kinds: (() => Pick<OddBody, "body" | "markers" | "items"> & Partial<OddBody>)[] = [
    () => {
      const event = sampleEvent(marker, { anonymous_id: marker, properties: { big: "z".repeat(11 * MIB) } });
      return { body: pack(Buffer.from(JSON.stringify(event))), markers: [marker], items: 1 };
    },
    () => ({
      body: BOMB,
      markers: [],
      items: 1,
      headers: { ...common.headers, "content-encoding": "gzip" },
    }),
    () => {
      const ids = Array.from({ length: 6_000 }, (_, i) => `fz-${number}-${i}`);
      const events = ids.map((id) => sampleEvent(id, { anonymous_id: id }));
      // Two are enough, or they would be most of the refusals of the run.
      const markers = [marker, `fz-${number}-5999`];
      return { body: pack(Buffer.from(JSON.stringify(events))), markers, items: events.length };
    },
  ];
  const make = kinds[(number / LARGE_EVERY) % kinds.length];
  if (make === undefined) throw new Error("there is no such kind");
  return { ...common, ...make() };
}

function pack(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
