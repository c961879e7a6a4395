/** What the list of wallets asks for: read from the URL. */
import { useSearch } from "@tanstack/react-router";
import type { ApiRequest } from "../../api/client.ts";
import { oneOf, type RawSearch, text, texts } from "../../state/search.ts";
import { useView } from "../../state/view.ts";
import { conditionText, parseCondition, searchFilter, type WalletCondition } from "./conditions.ts";

/** Columns that the API orders by, with their names. */
export const ORDERS = {
  last_seen: "Last seen",
  first_seen: "First seen",
  num_sessions: "Sessions",
  volume: "Volume",
  revenue: "Revenue",
} as const;
export type Order = keyof typeof ORDERS;
export const ORDER_NAMES = Object.keys(ORDERS) as readonly Order[];

const SHOWN = 50;
/** As many as a search takes. */
export const MOST_CONDITIONS = 20;

export interface Asked {
  wanted: string;
  conditions: readonly WalletCondition[];
  logic: "and" | "or";
  order: Order;
  dir: "asc" | "desc";
  request: ApiRequest;
}

export function useAsked(): Asked {
  const search = useSearch({ strict: false }) as RawSearch;
  const { project } = useView();
  const wanted = text(search.q) ?? "";
  const conditions = texts(search.where).flatMap((one) => parseCondition(one) ?? []);
  const logic = search.logic === "or" ? "or" : "and";
  const order = oneOf(ORDER_NAMES, search.order) ?? "last_seen";
  const dir = search.dir === "asc" ? "asc" : "desc";
  const page = Math.max(1, Math.trunc(Number(text(search.page) ?? 1)) || 1);
  const query = {
    project_id: project,
    search: wanted === "" ? undefined : wanted,
    order_by: order,
    order_dir: dir,
    expand: "labels",
    page,
    size: SHOWN,
  };
  const body = conditions.length === 0 ? {} : { filters: conditions.map(searchFilter), logic };
  const request: ApiRequest = { method: "POST", path: "/v0/profiles/search", query, body };
  return { wanted, conditions, logic, order, dir, request };
}

/** Another question begins at its first page. */
export function conditionsPatch(conditions: readonly WalletCondition[]): RawSearch {
  return { where: conditions.length === 0 ? undefined : conditions.map(conditionText), page: undefined };
}
