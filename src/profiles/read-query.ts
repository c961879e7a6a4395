/** The parameters of a question about profiles, beyond their types. Types may be wrong here: a schema refuses them. */
import { ADDRESS_PROBLEM, findAddress, findAnyAddress, findWalletName } from "../contract/addresses.ts";
import { LIFECYCLE_DAYS } from "../contract/lifecycle.ts";
import { EXPANSIONS, type Expansion, type ProfileOrder } from "../contract/profile-fields.ts";
import type { ProfileQuery, ProfileSearchQuery } from "../contract/profiles.ts";
import type { Threshold, Thresholds } from "../query/reports/stages.ts";
import { type Conditions, type Failures, readProfileConditions, readSearchBody } from "./read-conditions.ts";
import { findTime } from "./times.ts";

/** An address, or a text to look up: the address of another chain that events have, or a name. */
export type Wallet = { readonly address: string } | { readonly spelt: string; readonly name: string | undefined };

export interface ProfileOptions {
  readonly expand: ReadonlySet<Expansion>;
  readonly thresholds: Thresholds;
}

export interface ProfileQuestion extends ProfileOptions {
  readonly wallet: Wallet | undefined;
}

export interface SearchQuestion extends ProfileQuestion {
  readonly conditions: Conditions;
  /** Those of a segment. They hold beside the others. */
  readonly ofSegment: Conditions;
  readonly search: string;
  readonly orderBy: ProfileOrder;
  readonly descending: boolean;
  readonly page: number;
  readonly size: number;
}

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failures: Failures };

export function readProfileQuestion(address: unknown, query: ProfileQuery): Read<ProfileQuestion> {
  const failures: Failures = new Map();
  const wallet = readWallet(address, "params.address", failures);
  const options = readOptions(query, failures);
  return failures.size > 0 ? { ok: false, failures } : { ok: true, value: { wallet, ...options } };
}

/** `segment` are the filters of the segment that the query names. */
export function readSearchQuestion(
  query: ProfileSearchQuery,
  body: unknown,
  segment: readonly unknown[] = [],
): Read<SearchQuestion> {
  const failures: Failures = new Map();
  const wallet = query.address === undefined ? undefined : readWallet(query.address, "query.address", failures);
  if (query.timestamp !== undefined && query.address === undefined)
    failures.set("query.timestamp", "is about one wallet: it needs address");
  const options = readOptions(query, failures);
  const conditions = readSearchBody(body, failures);
  const ofSegment = { list: readProfileConditions(segment, "query.segment", failures), logic: "and" } as const;
  if (failures.size > 0) return { ok: false, failures };
  return {
    ok: true,
    value: {
      wallet,
      ...options,
      conditions,
      ofSegment,
      search: query.search?.trim() ?? "",
      orderBy: query.order_by as ProfileOrder,
      descending: query.order_dir !== "asc",
      page: query.page,
      size: query.size,
    },
  };
}

function readWallet(text: unknown, path: string, failures: Failures): Wallet | undefined {
  const address = findAddress(text);
  if (address !== undefined) return { address };
  const spelt = findAnyAddress(text);
  if (spelt !== undefined) return { spelt, name: findWalletName(spelt) };
  failures.set(path, ADDRESS_PROBLEM);
  return undefined;
}

function readOptions(query: ProfileQuery, failures: Failures): ProfileOptions {
  if (query.timestamp !== undefined && findTime(query.timestamp) === undefined)
    failures.set("query.timestamp", "must be an ISO-8601 time with its zone");
  return { expand: readExpand(query.expand, failures), thresholds: readThresholds(query, failures) };
}

function readExpand(text: unknown, failures: Failures): ReadonlySet<Expansion> {
  const names = typeof text === "string" ? text.split(",").map((name) => name.trim()) : [];
  const known = names.filter((name): name is Expansion => (EXPANSIONS as readonly string[]).includes(name));
  if (names.some((name) => name !== "" && !known.includes(name as Expansion)))
    failures.set("query.expand", `must be a list of ${EXPANSIONS.join(", ")}, separated by commas`);
  return new Set(known);
}

function readThresholds(query: object, failures: Failures): Thresholds {
  const given = query as Partial<Record<Threshold, unknown>>;
  const names = Object.keys(LIFECYCLE_DAYS) as Threshold[];
  const days = Object.fromEntries(
    names.map((name) => [name, typeof given[name] === "number" ? given[name] : LIFECYCLE_DAYS[name]]),
  ) as Thresholds;
  if (days.at_risk_min_days_inactive >= days.churn_window_days)
    failures.set(
      "query.at_risk_min_days_inactive",
      `must be below churn_window_days, which is ${days.churn_window_days}`,
    );
  return days;
}
