/** How a file is read: what its rows are, and what becomes of them. */
import type { Mapping } from "./from/generic.ts";
import type { NativeRow } from "./imported-event.ts";
import { createRowMapper, type RowMapper } from "./map-rows.ts";
import { createWalletMapper, listUnreadColumns } from "./map-wallets.ts";
import type { Judged } from "./run-import.ts";
import { makeMapper, SOURCES, type SourceName } from "./sources.ts";

export interface Reading {
  /** In the list of imports. */
  readonly source: string;
  readonly mapping: Mapping;
  readonly judged: Judged;
  makeMapper(nowMs: number): RowMapper;
  /** Columns of a row from which nothing is taken. */
  listUnread(row: NativeRow): readonly string[];
}

export function readingEvents(source: SourceName, mapping: Mapping): Reading {
  return {
    source,
    mapping,
    judged: { ...SOURCES[source], item: "an event" },
    makeMapper: (nowMs) => createRowMapper({ source, mapRow: makeMapper(source, mapping), nowMs }),
    // Columns without a place of their own are properties of the event.
    listUnread: () => [],
  };
}

export function readingWallets(mapping: Mapping): Reading {
  return {
    source: "wallets",
    mapping,
    judged: { label: "wallets", file: "rows with an address", needs: [], item: "a wallet" },
    makeMapper: (nowMs) => createWalletMapper(mapping, nowMs),
    listUnread: (row) => listUnreadColumns(mapping, row),
  };
}
