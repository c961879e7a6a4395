/** What the events of the period have: properties, and values of the fields of filters, the most frequent first. */
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { call } from "../api/client.ts";
import { useOutage } from "../api/outage.ts";
import { FIELDS, type Operator, takesValue } from "./filters.ts";
import { useLater } from "./use-later.ts";
import { useView } from "./view.ts";

export interface FoundProperty {
  name: string;
  /** Undefined for one that no event of the period has. */
  count?: number;
}

const FRESH_MS = 300_000;
const MOST_FOUND = 200;
const PAUSE_MS = 250;

/**
 * The properties of events, and the chosen one in any case. Those of another period stay until there is an answer:
 * most are the same, and a card that vanishes meanwhile moves the page.
 */
export function useProperties(chosen: string | undefined, enabled = true): readonly FoundProperty[] {
  const { query } = useView();
  const { project_id, date_from, date_to } = query;
  const found = useQuery({
    queryKey: ["properties", "any", project_id, date_from, date_to],
    queryFn: ({ signal }) =>
      call<{ data: FoundProperty[] }>({
        path: "/v0/event_properties",
        query: { project_id, date_from, date_to, limit: MOST_FOUND },
        signal,
      }),
    enabled,
    staleTime: FRESH_MS,
    retry: false,
  });
  // Nobody else would ask again.
  useOutage(found);
  const last = useRef<{ project: unknown; data: readonly FoundProperty[] }>(undefined);
  if (found.data !== undefined) last.current = { project: project_id, data: found.data.data };
  const properties = last.current?.project === project_id ? (last.current?.data ?? []) : [];
  const isKnown = chosen === undefined || properties.some(({ name }) => name === chosen);
  return isKnown ? properties : [...properties, { name: chosen }];
}

export interface FoundValue {
  value: string;
  count: number;
}

/** The values of a field to choose from; where there are more than can be listed, those with the text as well. */
export function useValues(field: string, op: Operator, wanted: string): readonly FoundValue[] {
  const enabled = isListed(field, op);
  const { data: first } = useFound(field, undefined, enabled);
  const search = useLater(wanted.trim(), PAUSE_MS);
  const { data: more } = useFound(field, search, enabled && search !== "" && first?.has_more === true);
  const listed = first?.data ?? [];
  const known = new Set(listed.map(({ value }) => value));
  return [...listed, ...(more?.data ?? []).filter(({ value }) => !known.has(value))].filter(
    ({ value }) => value !== "",
  );
}

/** Whether the values to choose from are still on their way. */
export function useIsFinding(field: string, op: Operator): boolean {
  return useFound(field, undefined, isListed(field, op)).isLoading;
}

const isListed = (field: string, op: Operator) => FIELDS[field]?.kind !== "number" && takesValue(op);

function useFound(field: string, search: string | undefined, enabled: boolean) {
  const { query } = useView();
  const { project_id, date_from, date_to, bots, segment } = query;
  return useQuery({
    queryKey: ["values", field, project_id, date_from, date_to, bots, segment, search],
    queryFn: ({ signal }) =>
      call<{ data: FoundValue[]; has_more: boolean }>({
        path: "/v0/distinct_values",
        query: { project_id, date_from, date_to, bots, segment, field, search, limit: MOST_FOUND },
        signal,
      }),
    enabled,
    staleTime: FRESH_MS,
    retry: false,
  });
}
