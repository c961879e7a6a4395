/** What an app writes about wallets, as rows. Pure: a body in, rows or reasons out. */
import { ADDRESS_PROBLEM, findAddress } from "../contract/addresses.ts";
import { FIRST_SAID_MS, IMPORTED, PROPERTY_KEYS, type PropertyKey } from "../contract/profile-fields.ts";
import { TOMBSTONE, WALLET_LIMITS } from "../contract/profile-writes.ts";
import type { WalletLabel, WalletProperty } from "../engines/wallet-rows.ts";
import type { Failures } from "./read-conditions.ts";
import { findTime } from "./times.ts";

type Written = Omit<WalletProperty, "project_id">;
type Labelled = Omit<WalletLabel, "project_id">;

/** Labels that come by the API. */
const SOURCE = "import";

/** Property -> value; null unsets it. */
export type Properties = Partial<Record<PropertyKey, string | null>>;

export function toPropertyRows(address: string, properties: Properties, nowMs: number): Written[] {
  return Object.entries(properties).map(([name, value]) => ({
    address,
    name,
    value: value ?? "",
    is_deleted: value === null ? 1 : 0,
    changed_ms: nowMs,
  }));
}

/** A row of a batch that was set aside. */
export interface Quarantined {
  readonly index: number;
  readonly address: string;
  readonly reason: string;
}

export interface Batch<Row> {
  readonly rows: readonly Row[];
  readonly accepted: number;
  readonly errors: readonly Quarantined[];
}

/** Reads each item; a text is the reason why it is set aside. */
function readBatch<Row>(
  items: readonly unknown[],
  read: (item: Record<string, unknown>) => Row[] | string,
): Batch<Row> {
  const rows: Row[] = [];
  const errors: Quarantined[] = [];
  items.forEach((item, index) => {
    const fields = isObject(item) ? item : {};
    const found = isObject(item) ? read(fields) : "must be an object";
    if (typeof found !== "string") rows.push(...found);
    else errors.push({ index, address: shorten(fields.address), reason: found });
  });
  return { rows, accepted: items.length - errors.length, errors };
}

const SHOWN_CHARS = 128;

function shorten(address: unknown): string {
  return typeof address === "string" ? address.slice(0, SHOWN_CHARS) : "";
}

/** Keys that are no properties are ignored. */
export function readPropertyBatch(items: readonly unknown[], nowMs: number): Batch<Written> {
  return readBatch(items, ({ address, ...keys }) => {
    const wallet = findAddress(address);
    if (wallet === undefined) return `address: ${ADDRESS_PROBLEM}`;
    const properties = readProperties(keys);
    if (typeof properties === "string") return properties;
    return Object.keys(properties).length === 0 ? "has no property" : toPropertyRows(wallet, properties, nowMs);
  });
}

/** The known keys, or what is wrong with one. */
function readProperties(keys: Record<string, unknown>): Properties | string {
  const found: Properties = {};
  for (const key of PROPERTY_KEYS) {
    const value = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (value === undefined) continue;
    const problem = findPropertyProblem(key, value);
    if (problem !== undefined) return `${key}: ${problem}`;
    found[key] = value as string | null;
  }
  return found;
}

function findPropertyProblem(key: PropertyKey, value: unknown): string | undefined {
  if (value === null) return key === "user_id" ? "cannot be unset" : undefined;
  if (typeof value !== "string") return "must be a string or null";
  if (value === "") return "must not be empty; null unsets it";
  if (value === TOMBSTONE) return `must not be ${TOMBSTONE}; null unsets it`;
  return findTextProblem(value, WALLET_LIMITS.valueChars);
}

function findTextProblem(text: string, mostChars: number): string | undefined {
  if (text.length > mostChars) return `must have at most ${mostChars} characters`;
  return text.includes("\0") || !text.isWellFormed() ? "must be well-formed text without NUL" : undefined;
}

interface LabelFields {
  readonly tag_id?: unknown;
  readonly value?: unknown;
  readonly chain_id?: unknown;
  readonly timestamp?: unknown;
  readonly _is_deleted?: unknown;
}

/** Of the labels of one wallet: their times, which a schema cannot check. Types may be wrong here. */
export function checkLabelTimes(body: unknown, nowMs: number): Failures {
  const failures: Failures = new Map();
  const items = Array.isArray(body) ? body.map((item, index) => [item, `body.${index}`]) : [[body, "body"]];
  for (const [item, path] of items) {
    const problem = isObject(item) ? findTimeProblem(item.timestamp, nowMs) : undefined;
    if (problem !== undefined) failures.set(`${path}.timestamp`, problem);
  }
  return failures;
}

const FUTURE = "must not be in the future";

function findTimeProblem(timestamp: unknown, nowMs: number): string | undefined {
  if (timestamp === undefined) return undefined;
  const ms = findTime(timestamp);
  if (ms === undefined) return "must be an ISO-8601 time with its zone, 1970 or later";
  return ms > nowMs ? FUTURE : undefined;
}

/** A label whose fields were checked. */
export function toLabelRow(address: string, label: LabelFields, nowMs: number): Labelled {
  return {
    address,
    tag_id: String(label.tag_id).trim().toLowerCase(),
    chain_id: typeof label.chain_id === "string" ? label.chain_id.trim() : "",
    value: typeof label.value === "string" ? label.value : "",
    source: SOURCE,
    is_deleted: label._is_deleted === 1 ? 1 : 0,
    changed_ms: findTime(label.timestamp) ?? nowMs,
  };
}

export function viewLabel({ address, tag_id, value, chain_id, source, changed_ms }: Labelled) {
  return { address, tag_id, value, chain_id, source, timestamp: new Date(changed_ms).toISOString() };
}

/** A time in the future refuses the whole batch; other problems set a row aside. */
export function readLabelBatch(items: readonly unknown[], nowMs: number, failures: Failures): Batch<Labelled> {
  items.forEach((item, index) => {
    if (isObject(item) && findTimeProblem(item.timestamp, nowMs) === FUTURE)
      failures.set(`body.${index}.timestamp`, FUTURE);
  });
  return readBatch(items, ({ address, ...label }) => {
    const wallet = findAddress(address);
    if (wallet === undefined) return `address: ${ADDRESS_PROBLEM}`;
    return findLabelProblem(label, nowMs) ?? [toLabelRow(wallet, label, nowMs)];
  });
}

function findLabelProblem({ tag_id, value, chain_id, timestamp, _is_deleted }: LabelFields, nowMs: number) {
  if (typeof tag_id !== "string" || tag_id.trim() === "") return "tag_id: must be a text that is not empty";
  const texts = [
    ["tag_id", tag_id, WALLET_LIMITS.tagChars],
    ["value", value ?? "", WALLET_LIMITS.valueChars],
    ["chain_id", chain_id ?? "", WALLET_LIMITS.chainChars],
  ] as const;
  for (const [name, text, most] of texts) {
    const problem = typeof text === "string" ? findTextProblem(text, most) : "must be a string";
    if (problem !== undefined) return `${name}: ${problem}`;
  }
  const late = findTimeProblem(timestamp, nowMs);
  if (late !== undefined) return `timestamp: ${late}`;
  return _is_deleted === undefined || _is_deleted === 0 || _is_deleted === 1
    ? undefined
    : "_is_deleted: must be 0 or 1";
}

export interface ImportedWallet {
  readonly properties: readonly Written[];
  readonly labels: readonly Labelled[];
}

/**
 * Imported wallets: every address becomes a profile, and `rows` give some of them properties and labels. An address
 * twice is one wallet.
 */
export function readImport(body: unknown, nowMs: number): Batch<ImportedWallet> {
  const { addresses, rows } = (isObject(body) ? body : {}) as { addresses?: unknown; rows?: unknown };
  const listed = Array.isArray(addresses) ? addresses.map((address) => ({ address })) : [];
  const described = Array.isArray(rows) ? rows : [];
  return readBatch([...listed, ...described], (item) => {
    const found = readImportedWallet(item, nowMs);
    return typeof found === "string" ? found : [found];
  });
}

/** The rows of one wallet, or what is wrong with it. `timestamp` is when it was so: what was written later stays. */
export function readImportedWallet(item: Record<string, unknown>, nowMs: number): ImportedWallet | string {
  const { address, properties = {}, labels = [], timestamp } = item;
  const wallet = findAddress(address);
  if (wallet === undefined) return `address: ${ADDRESS_PROBLEM}`;
  if (!isObject(properties)) return "properties: must be an object";
  const known = readProperties(properties);
  if (typeof known === "string") return `properties.${known}`;
  const late = findTimeProblem(timestamp, nowMs);
  if (late !== undefined) return `timestamp: ${late}`;
  if (!Array.isArray(labels) || labels.length > WALLET_LIMITS.batch)
    return `labels: must be an array of at most ${WALLET_LIMITS.batch} labels`;
  const atMs = Math.max(findTime(timestamp) ?? nowMs, FIRST_SAID_MS);
  const labelled: Labelled[] = [];
  for (const label of labels) {
    const problem = isObject(label) ? findLabelProblem(label, nowMs) : "must be an object";
    if (problem !== undefined) return `labels.${labelled.length}.${problem}`;
    labelled.push(toLabelRow(wallet, label, atMs));
  }
  const imported = { address: wallet, name: IMPORTED, value: SOURCE, is_deleted: 0, changed_ms: nowMs } as const;
  return { properties: [imported, ...toPropertyRows(wallet, known, atMs)], labels: labelled };
}

/** The rows of all of them. */
export function joinImported(wallets: readonly ImportedWallet[]) {
  return {
    properties: wallets.flatMap(({ properties }) => properties),
    labels: wallets.flatMap(({ labels }) => labels),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
