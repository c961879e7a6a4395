/**
 * The requests of the load generator: complete HTTP requests, built once; only the message ids change. Events resemble
 * those of a browser: about 1 KB, with pages, visitors and user agents from small sets.
 */
export const SHAPES = { single: 1, batch: 100 } as const;
export type Shape = keyof typeof SHAPES;

/**
 * `context` and `properties` as objects, as current browser SDKs send them, or as JSON texts, the form of the contract.
 */
export const FORMS = { object: "/v0/raw_events", text: "/v0/events?name=raw_events" } as const;
export type Form = keyof typeof FORMS;

/** Sender and content of the requests. */
export interface Sending {
  readonly shape: Shape;
  readonly form: Form;
  readonly port: number;
  readonly writeKey: string;
  /** Each event by a visitor drawn from so many. Else the same few hundred visitors of a connection, again and again. */
  readonly visitors?: number;
}

export interface Template {
  /** Head and body. Patched in place: each connection owns one, and sends one request at a time. */
  readonly bytes: Buffer;
  /** The offset of each event's message id. */
  readonly idOffsets: readonly number[];
  /** The offset of the last twelve digits of each event's visitor. */
  readonly visitorOffsets: readonly number[];
}

/** SDKs send the hex of a hash. Sequential ids would sort and compress far better than real ones. */
const ID_CHARS = 64;

const AGENTS = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
] as const;
const PAGES = ["/", "/swap", "/pools", "/pools/eth-usdc", "/earn", "/bridge", "/governance/proposals/142"] as const;
const REFERRERS = [
  "",
  "https://www.google.com/",
  "https://t.co/",
  "https://chatgpt.com/",
  "https://warpcast.com/",
] as const;
const ZONES = ["Europe/Berlin", "America/New_York", "Asia/Singapore", "America/Sao_Paulo"] as const;
const SOURCES = ["newsletter", "twitter", "google", ""] as const;

export function makeTemplate({ shape, form, port, writeKey }: Sending, connection: number): Template {
  const events = Array.from({ length: SHAPES[shape] }, (_, i) => JSON.stringify(makeEvent(connection * 131 + i, form)));
  const body = shape === "single" ? (events[0] ?? "") : `[${events.join(",")}]`;
  const head = [
    `POST ${FORMS[form]} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${writeKey}`,
    "Content-Type: application/json",
    "Accept: */*",
    "Origin: https://app.example.org",
    `User-Agent: ${AGENTS[connection % AGENTS.length]}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "\r\n",
  ].join("\r\n");
  const bytes = Buffer.from(head + body);
  return {
    bytes,
    idOffsets: offsetsAfter(bytes, '"message_id":"'),
    visitorOffsets: offsetsAfter(bytes, `"anonymous_id":"${VISITOR}`),
  };
}

function offsetsAfter(bytes: Buffer, marker: string): number[] {
  const offsets: number[] = [];
  for (let at = bytes.indexOf(marker); at !== -1; at = bytes.indexOf(marker, at + marker.length))
    offsets.push(at + marker.length);
  return offsets;
}

const HEX = Buffer.from("0123456789abcdef");

/** Eight hashed words of the same counter. The first word is already unique, because `mix` is invertible. */
export function putIds({ bytes, idOffsets }: Template, firstNumber: number): void {
  for (let i = 0; i < idOffsets.length; i += 1) {
    let at = idOffsets[i] ?? 0;
    for (let word = 0; word < ID_CHARS / 8; word += 1) {
      const mixed = mix((firstNumber + i) ^ Math.imul(word, 0x9e3779b1));
      for (let shift = 28; shift >= 0; shift -= 4) {
        bytes[at] = HEX[(mixed >>> shift) & 15] ?? 0;
        at += 1;
      }
    }
  }
}

const VISITOR = "6f9619ff-8b86-4d01-b42d-";

/** Each event by a visitor drawn from `most`: real traffic has more of them than a batch has events. */
export function putVisitors({ bytes, visitorOffsets }: Template, firstNumber: number, most: number): void {
  for (const [nth, at] of visitorOffsets.entries()) {
    const visitor = (mix(firstNumber + nth) % most).toString(16).padStart(12, "0");
    bytes.write(visitor, at, "latin1");
  }
}

function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

function makeEvent(number: number, form: Form): Record<string, unknown> {
  const visitor = (number % 5_000).toString(16).padStart(12, "0");
  const sentAt = Date.now();
  const isTrack = number % 4 === 3;
  const put = (fields: object) => (form === "text" ? JSON.stringify(fields) : fields);
  return {
    channel: "web",
    type: isTrack ? "track" : "page",
    anonymous_id: `${VISITOR}${visitor}`,
    user_id: "",
    address: number % 3 === 0 ? `0x${visitor.repeat(4).slice(0, 40)}` : "",
    event: isTrack ? "Swap Completed" : "",
    context: put(makeContext(number)),
    properties: put(isTrack ? { revenue: (number % 1000) / 10, currency: "usd" } : makeProperties(number)),
    version: "0",
    original_timestamp: new Date(sentAt - 40).toISOString(),
    sent_at: new Date(sentAt).toISOString(),
    message_id: "0".repeat(ID_CHARS),
  };
}

function makeContext(number: number): Record<string, unknown> {
  const page = pick(PAGES, number);
  const source = pick(SOURCES, number >> 2);
  return {
    user_agent: pick(AGENTS, number),
    locale: "en-US",
    timezone: pick(ZONES, number),
    referrer: pick(REFERRERS, number >> 1),
    utm_source: source,
    utm_medium: source === "" ? "" : "cpc",
    utm_campaign: source === "" ? "" : "summer",
    page_url: `https://app.example.org${page}${source === "" ? "" : `?utm_source=${source}`}`,
    page_path: page,
    page_title: `Example ${page}`,
    screen_width: 1920,
    screen_height: 1080,
    viewport_width: 1440,
    viewport_height: 900,
    library_name: "Web SDK",
    library_version: "1.28.3",
  };
}

function makeProperties(number: number): Record<string, unknown> {
  const path = pick(PAGES, number);
  return { url: `https://app.example.org${path}`, path, hash: "", query: "", title: `Example ${path}` };
}

function pick<T>(list: readonly T[], number: number): T {
  const found = list[number % list.length];
  if (found === undefined) throw new Error("cannot pick from an empty list");
  return found;
}
