/** The properties that events have, most frequent first, for people who choose one. */
import { LONGEST_PROPERTY, type PropertiesQuery } from "../../contract/properties.ts";
import { dayIn, UTC } from "../../lib/time-zones.ts";
import type { Failures } from "../filters/filters.ts";
import { readWindowParts, toCtes } from "../report/parts.ts";
import { type Known, readDays, readZone } from "../report/question.ts";
import { type Days, windowOf } from "../report/window.ts";
import type { Lookup, LookupContext } from "../run/run-lookup.ts";
import { keepsBots, searchIn } from "./search.ts";

const PARTS = readWindowParts(new URL("./properties.sql", import.meta.url));
const EXAMPLE_CHARS = 100;

export interface PropertiesQuestion {
  /** Empty: any. */
  readonly type: string;
  readonly event: string;
  readonly window: Days | undefined;
  /** The time zone of its days. */
  readonly zone: string;
  readonly limit: number;
}

export interface EventProperties {
  readonly data: readonly { readonly name: string; readonly count: number; readonly example: string }[];
  readonly has_more: boolean;
}

export type ReadProperties =
  | { readonly ok: true; readonly value: PropertiesQuestion }
  | { readonly ok: false; readonly failures: Failures };

export function readProperties(query: PropertiesQuery, nowMs: number, known: Known = {}): ReadProperties {
  const failures: Failures = new Map();
  const zone = readZone(query, failures) ?? known.zone ?? UTC;
  const { dateFrom, lastDay } = readDays(query, dayIn(zone, nowMs), failures);
  if (failures.size > 0) return { ok: false, failures };
  const { type = "", event = "", limit } = query;
  return { ok: true, value: { type, event, window: windowOf(dateFrom, lastDay), zone, limit } };
}

export function listProperties(question: PropertiesQuestion): Lookup<EventProperties> {
  return { name: "event_properties", run: (given) => queryProperties(question, given) };
}

interface PropertyRow {
  readonly name: string;
  readonly n_events: number;
  readonly example: string;
}

async function queryProperties(question: PropertiesQuestion, given: LookupContext): Promise<EventProperties> {
  const { type, event, window, zone, limit } = question;
  const search = {
    ctes: toCtes(PARTS, ["shapes", "found"], { bots: keepsBots(given.owner) }),
    answer: PARTS("answer"),
    params: {
      type,
      event,
      name_chars: LONGEST_PROPERTY,
      example_chars: EXAMPLE_CHARS,
      // One more shows that there are more.
      limit: limit + 1,
    },
  };
  const rows = window === undefined ? [] : await searchIn<PropertyRow>({ ...window, zone }, search, given);
  const data = rows.slice(0, limit).map(({ name, n_events, example }) => ({ name, count: n_events, example }));
  return { data, has_more: rows.length > limit };
}
