/** Bodies for property tests: valid events and everything else, written in all the ways that JSON allows. */
import fc from "fast-check";
import { readBody } from "./read-body.ts";

const time = fc.constantFrom("2026-03-10T11:59:58.000Z", "2026-02-31T00:00:00.000Z", "2026-03-10 11:59", "now", "");
const text = fc.oneof(
  { weight: 40, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 5, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
  fc.constantFrom(
    "",
    "web",
    "x".repeat(64),
    "ü".repeat(65),
    'quote " and \\ and / \n',
    "\u0001",
    "\ud800",
    " blank ",
    "\0",
  ),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 1e21, 1e-7, 123_456_789_012_345_680_000),
);
const name = fc.oneof(
  { weight: 20, arbitrary: fc.stringMatching(/^[a-z_]{1,8}$/) },
  fc.string({ maxLength: 8 }),
  fc.constantFrom(
    "page_url",
    "utm_source",
    "revenue",
    "chain_id",
    "builder_codes",
    "user_agent",
    "1",
    "__proto__",
    "ü",
  ),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, text, number, fc.boolean(), fc.constant(null), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(name, tie("value"), { maxKeys: 5 }),
}));
const fields = fc.record(
  {
    page_url: fc.oneof(fc.webUrl({ withQueryParameters: true }), json.value),
    referrer: fc.oneof(fc.webUrl(), text),
    utm_source: text,
    user_agent: fc.constantFrom("Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "curl/8", ""),
    chain_id: fc.oneof(number, text),
    builder_codes: fc.oneof(fc.array(text, { maxLength: 3 }), text),
    revenue: fc.oneof(number, text),
    session_id: text,
    more: json.object,
  },
  { requiredKeys: [] },
);
const object = fc.oneof(
  { weight: 4, arbitrary: fields },
  json.object,
  fields.map((found) => JSON.stringify(found)),
);

/** Most of them are valid by both rules. */
const anyEvent = fc
  .record({
    channel: fc.constantFrom("web", "server"),
    type: fc.constantFrom("page", "track", "transaction"),
    anonymous_id: text,
    user_id: fc.option(text),
    address: fc.option(fc.oneof(text, fc.constant("0x52908400098527886E0F7030069857D2E4169EE7"))),
    event: fc.option(text),
    context: object,
    properties: object,
    version: text,
    original_timestamp: fc.constant("2026-03-10T11:59:58.000Z"),
    sent_at: fc.constant("2026-03-10T11:59:59.000Z"),
    message_id: fc.string({ minLength: 1, maxLength: 64 }),
  })
  .chain((event) =>
    fc.oneof(
      { weight: 20, arbitrary: fc.constant<Record<string, unknown>>(event) },
      { weight: 2, arbitrary: json.object.map((more) => ({ ...event, ...(more as object) })) },
      fc
        .tuple(fc.constantFrom(...Object.keys(event)), fc.oneof(json.value, time, fc.constant(undefined)))
        .map(([field, value]) => ({ ...event, [field]: value })),
    ),
  );

const list = fc.array(anyEvent, { minLength: 1, maxLength: 4 });

/** The text of events: mostly as JSON.stringify writes it, else with blanks, escapes, other numbers, names twice. */
export const anyBody: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: list.map((events) => JSON.stringify(events)) },
  anyEvent.map((event) => JSON.stringify(event)),
  list.map((events) => JSON.stringify(events, undefined, 1)),
  list.map((events) => `${JSON.stringify(events)}\n`),
  list.map((events) => JSON.stringify(events).replaceAll("web", "w\\u0065b").replaceAll("/", "\\/")),
  list.map((events) => JSON.stringify(events).replaceAll(/:(-?\d+)([,}])/g, ":$1.0$2")),
  list.map((events) => JSON.stringify(events).replaceAll('"version":', '"version":"1","version":')),
  list.map((events) => JSON.stringify(events).replaceAll('"page_url":', '"page_url":"https://a.example/","page_url":')),
  // The first name of each object twice.
  list.map((events) => JSON.stringify(events).replaceAll(/\{("(?:[^"\\]|\\.)*":)/g, "{$1null,$1")),
  list.map((events) => JSON.stringify([...events, "no event"])),
  fc.constantFrom("", "[]", "{}", "[{}]", "null", "\ufeff[{}]", `[${"[".repeat(40)}${"]".repeat(40)}]`),
);

/** A body with some bytes changed, which is often no JSON and no UTF-8. */
export const brokenBody: fc.Arbitrary<Buffer> = fc
  .tuple(
    anyBody,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...Buffer.from('",:{}[]\\\n\0 0-.eu\xff\x80t', "latin1"))), {
      maxLength: 3,
    }),
  )
  .map(([body, changes]) => {
    const bytes = Buffer.from(body);
    for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
    return bytes;
  });

/** Bodies that acceptance finds clean. */
export const cleanBody = fc
  .oneof({ weight: 4, arbitrary: anyBody.map((text) => Buffer.from(text)) }, brokenBody)
  .filter((body) => {
    const read = readBody(body, "raw", false);
    return read.kind === "events" && !read.lines && read.items.every(({ invalid }) => invalid === undefined);
  });
