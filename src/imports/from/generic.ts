/** Any file with one event in a row: fields by their own names, or by those that the person maps. */
import { keepNumbersOf } from "../../lib/json-numbers.ts";
import { type Fields, type ImportedEvent, type MapRow, type NativeRow, RefusedRow } from "../imported-event.ts";
import { compact, countryCode, fieldsOf, firstText, getTime, selectFields, shown, textOf } from "./fields.ts";

/** Targets of a mapping, each with the columns that it has without one. The first that has a value counts. */
const EVENT_COLUMNS = {
  timestamp: ["timestamp", "original_timestamp", "time", "created_at"],
  message_id: ["message_id", "messageId"],
  key: [],
  type: ["type"],
  event: ["event", "event_name"],
  anonymous_id: ["anonymous_id", "anonymousId", "visitor_id"],
  user_id: ["user_id", "userId"],
  address: ["address", "wallet_address", "wallet"],
  context: ["context"],
  properties: ["properties"],
} as const;

/** The columns of a time, unless another one is mapped. */
export const TIME_COLUMNS: readonly string[] = EVENT_COLUMNS.timestamp;

const CONTEXT_COLUMNS = {
  session_id: ["session_id", "sessionId"],
  page_url: ["page_url", "url"],
  page_path: ["page_path", "pathname"],
  page_title: ["page_title"],
  referrer: ["referrer"],
  user_agent: ["user_agent"],
  browser: ["browser"],
  os: ["os"],
  device: ["device"],
  location: ["location", "country"],
  timezone: ["timezone"],
  locale: ["locale", "language"],
  ref: ["ref"],
  utm_source: ["utm_source"],
  utm_medium: ["utm_medium"],
  utm_campaign: ["utm_campaign"],
  utm_term: ["utm_term"],
  utm_content: ["utm_content"],
  gclid: ["gclid"],
  gad_source: ["gad_source"],
  fbclid: ["fbclid"],
  msclkid: ["msclkid"],
  ttclid: ["ttclid"],
  twclid: ["twclid"],
  li_fat_id: ["li_fat_id"],
  rdt_cid: ["rdt_cid"],
} as const;

type EventTarget = keyof typeof EVENT_COLUMNS;
type ContextTarget = keyof typeof CONTEXT_COLUMNS;

/** What a backend adds to its own events; they are made again. */
const IGNORED = ["project_id", "received_at", "sent_at", "channel", "version"];

export interface Mapping {
  /** Target -> column of the file. */
  readonly columns: ReadonlyMap<string, string>;
  /** Target -> one value for every row. */
  readonly values: ReadonlyMap<string, string>;
}

export const NO_MAPPING: Mapping = { columns: new Map(), values: new Map() };

export const MAPPING_TARGETS: readonly string[] = [...Object.keys(EVENT_COLUMNS), ...Object.keys(CONTEXT_COLUMNS)];

/** A property of the event is mapped as `properties.<name>`. */
export function isMappingTarget(target: string): boolean {
  return MAPPING_TARGETS.includes(target) || /^properties\.[^.]/.test(target);
}

export function makeMapGeneric({ columns, values }: Mapping): MapRow {
  const listed = new Map<string, readonly string[]>();
  for (const [target, names] of [...Object.entries(EVENT_COLUMNS), ...Object.entries(CONTEXT_COLUMNS)])
    listed.set(target, columns.has(target) ? [columns.get(target) ?? ""] : names);
  const used = new Set([...[...listed.values()].flat(), ...columns.values(), ...IGNORED]);
  const named = [...new Set([...columns.keys(), ...values.keys()])].filter((target) =>
    target.startsWith("properties."),
  );

  function find(row: NativeRow, target: EventTarget | ContextTarget): unknown {
    const set = values.get(target);
    if (set !== undefined) return set;
    for (const name of listed.get(target) ?? []) {
      const value = row[name];
      if (value !== undefined && value !== null && value !== "") return value;
    }
    return undefined;
  }

  /** An object of properties as it is, with its numbers; columns beside it are added. */
  function propertiesOf(row: NativeRow): Fields {
    const given = jsonFields(find(row, "properties"), "properties");
    const rest = selectFields(row, (name) => !used.has(name));
    const mapped: Record<string, unknown> = {};
    for (const target of named) {
      const column = columns.get(target);
      mapped[target.slice("properties.".length)] = column === undefined ? values.get(target) : row[column];
    }
    if (Object.keys(rest).length === 0 && named.length === 0) return compact(given);
    const all = compact({ ...rest, ...given, ...mapped });
    keepNumbersOf(Object.keys(given).length === 0 ? rest : given, all);
    return all;
  }

  function contextOf(row: NativeRow): Fields {
    const found: Record<string, unknown> = { ...jsonFields(find(row, "context"), "context") };
    for (const target of Object.keys(CONTEXT_COLUMNS) as ContextTarget[]) {
      const value = textOf(find(row, target));
      if (value !== "") found[target] = target === "location" ? countryCode(value) : value;
    }
    return compact(found);
  }

  return (row): ImportedEvent[] => {
    const event = textOf(find(row, "event"));
    const context = contextOf(row);
    const type = firstText(
      find(row, "type"),
      event !== "" ? "track" : firstText(context.page_url, context.page_path) && "page",
    );
    if (type === "") throw new RefusedRow("it has neither a type, an event nor a page_url");
    return [
      {
        key: textOf(find(row, "key")) || undefined,
        messageId: textOf(find(row, "message_id")) || undefined,
        atMs: getTime(find(row, "timestamp"), "timestamp"),
        type,
        event,
        anonymousId: textOf(find(row, "anonymous_id")),
        userId: textOf(find(row, "user_id")),
        address: textOf(find(row, "address")),
        context,
        properties: propertiesOf(row),
      },
    ];
  };
}

function jsonFields(value: unknown, field: string): Fields {
  if (value === undefined) return {};
  const found = fieldsOf(value);
  if (Object.keys(found).length === 0 && typeof value === "string" && !/^\s*\{\s*\}\s*$/.test(value))
    throw new RefusedRow(`${field} is ${shown(value)}, and a JSON object was expected`);
  return found;
}
