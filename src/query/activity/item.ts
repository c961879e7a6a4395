/** An event as it is answered: the columns of the catalogue's table `events`, and its bodies as objects. */
import { ARRIVAL_COLUMNS, CLIENT_COLUMNS } from "../../contract/metric-columns.ts";
import { formatPosition } from "./position.ts";

/** Columns that are shown as they are stored. */
export const OWN_COLUMNS = [
  "channel",
  "type",
  "event",
  "version",
  "message_id",
  "anonymous_id",
  "user_id",
  "address",
  "origin",
  ...ARRIVAL_COLUMNS,
  "builder_codes",
  ...CLIENT_COLUMNS,
  "volume",
  "revenue",
  "points",
] as const;

/** Columns that the context of an event has. */
const CONTEXT_COLUMNS = [
  "locale",
  "timezone",
  "page_title",
  "page_query",
  "page_hash",
  "library_name",
  "library_version",
  "user_agent",
] as const;
const CLICK_IDS = ["gclid", "gad_source", "fbclid", "msclkid", "ttclid", "twclid", "li_fat_id", "rdt_cid"] as const;

const BODIES = ["context", "properties", "extra"] as const;

export interface EventRow {
  readonly [column: string]: string | number | null;
  readonly at_ms: number;
  readonly event_key: string;
  readonly received_ms: number;
  readonly project_id: string;
  readonly session_id: string;
  readonly type: string;
  readonly page_path: string;
  readonly channel_type: string;
}

/**
 * The JSON text of an event. Its bodies are the texts that were sent: parsed and written again, an amount of 30 digits
 * would lose its last ones.
 */
export function toItem(row: EventRow): string {
  const bodies = BODIES.map((name) => ({ name, text: readBody(row[`${name}_text`]) }));
  const [context, properties] = bodies.map(({ text }) => parseFields(text));
  const columns = {
    id: formatPosition({ ms: row.at_ms, key: BigInt(row.event_key) }),
    project_id: row.project_id,
    timestamp: new Date(row.at_ms).toISOString(),
    received_at: new Date(row.received_ms).toISOString(),
    session_id: row.session_id,
    ...Object.fromEntries(OWN_COLUMNS.map((name) => [name, row[name] ?? ""])),
    page_path: row.page_path,
    channel_type: row.channel_type,
    ...contextColumns(row.type, context ?? {}, properties ?? {}),
    omitted: bodies.filter(({ text }) => text === undefined).map(({ name }) => name),
  };
  const texts = bodies.map(({ name, text }) => `"${name}":${text ?? "null"}`).join(",");
  return `${JSON.stringify(columns).slice(0, -1)},${texts}}`;
}

/** Undefined: too long. A text that is no object, which no event has that was accepted, is shown as an empty one. */
function readBody(stored: string | number | null | undefined): string | undefined {
  if (stored === null) return undefined;
  return typeof stored === "string" && isObject(parse(stored)) ? stored : "{}";
}

type Fields = Readonly<Record<string, unknown>>;

function parseFields(text: string | undefined): Fields {
  return text === undefined ? {} : (parse(text) as Fields);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Click ids: the client's own value, otherwise that of the page's URL. */
function contextColumns(type: string, context: Fields, properties: Fields): Record<string, string> {
  const read = (fields: Fields, name: string) => (typeof fields[name] === "string" ? fields[name] : "");
  const pageUrl = read(context, "page_url") || (type === "page" ? read(properties, "url") : "");
  const params = URL.parse(pageUrl)?.searchParams;
  return {
    page_url: pageUrl,
    ...Object.fromEntries(CONTEXT_COLUMNS.map((name) => [name, read(context, name)])),
    ...Object.fromEntries(CLICK_IDS.map((name) => [name, read(context, name) || (params?.get(name) ?? "")])),
  };
}
