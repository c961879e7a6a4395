/** What a file that was sent can be: events of a product, wallets, or days that a product counted. */
import { DAYS_SOURCE } from "./days/plausible.ts";
import { detectSource } from "./detect.ts";
import { isMappingTarget, MAPPING_TARGETS, type Mapping } from "./from/generic.ts";
import type { NativeRow } from "./imported-event.ts";
import { isWalletTarget, looksLikeWallet, WALLET_TARGETS } from "./map-wallets.ts";
import { type Reading, readingEvents, readingWallets } from "./reading.ts";
import { SOURCE_NAMES, SOURCES, type SourceName } from "./sources.ts";

export const WALLETS_SOURCE = "wallets";

/** Read row by row. */
export type RowsSource = SourceName | typeof WALLETS_SOURCE;
export type UploadSource = RowsSource | typeof DAYS_SOURCE;

interface About {
  readonly name: UploadSource;
  readonly label: string;
  /** What its file is. */
  readonly file: string;
  readonly gives: "events" | "wallets" | "days";
}

export const UPLOAD_SOURCES: readonly About[] = [
  ...SOURCE_NAMES.map((name) => ({ name, ...SOURCES[name], gives: "events" }) as const),
  {
    name: DAYS_SOURCE,
    label: "Plausible",
    file: "the zip of its CSV export, or imported_visitors_... out of it: sums of days, which reports add",
    gives: "days",
  },
  { name: WALLETS_SOURCE, label: "wallets", file: "rows with an address, properties and labels", gives: "wallets" },
];

export const UPLOAD_SOURCE_NAMES: readonly string[] = UPLOAD_SOURCES.map(({ name }) => name);

export function isUploadSource(name: unknown): name is UploadSource {
  return typeof name === "string" && UPLOAD_SOURCE_NAMES.includes(name);
}

/** The fields that a person says the columns of. Those of the others are known. */
export function targetsOf(source: UploadSource): readonly string[] {
  if (source === WALLETS_SOURCE) return WALLET_TARGETS;
  return source === "generic" ? MAPPING_TARGETS : [];
}

export function isTargetOf(source: UploadSource, target: string): boolean {
  if (source === WALLETS_SOURCE) return isWalletTarget(target);
  return source === "generic" && isMappingTarget(target);
}

export function readingOf(source: RowsSource, mapping: Mapping): Reading {
  return source === WALLETS_SOURCE ? readingWallets(mapping) : readingEvents(source, mapping);
}

/** By the names of a row. */
export function detectRows(row: NativeRow): RowsSource {
  const source = detectSource(row);
  return source === "generic" && looksLikeWallet(row) ? WALLETS_SOURCE : source;
}
