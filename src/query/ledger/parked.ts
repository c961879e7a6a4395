/** Parked events, newest first, each with the beginning of its text. */
import { readSql } from "../../lib/sql.ts";
import { LATEST_MS } from "../../lib/time.ts";
import type { Lookup } from "../run/run-lookup.ts";

const PARKED = readSql(new URL("./parked.sql", import.meta.url));

export interface ParkedPosition {
  readonly receivedMs: number;
  readonly id: string;
}

export interface ParkedQuestion {
  readonly reason: string;
  readonly limit: number;
  readonly after: ParkedPosition | undefined;
}

interface ParkedRow {
  readonly project_id: string;
  readonly received_ms: number;
  readonly id: string;
  readonly reason: string;
  readonly details: string;
  readonly message_id: string;
  readonly head: string;
  readonly raw_bytes: number;
}

export interface ParkedPage {
  readonly items: readonly (Omit<ParkedRow, "received_ms"> & { readonly received_at: string })[];
  readonly nextCursor: string | undefined;
}

export function listParked({ reason, limit, after }: ParkedQuestion): Lookup<ParkedPage> {
  return {
    name: "parked",
    async run({ engine, owner, signal }) {
      const { receivedMs, id } = after ?? { receivedMs: LATEST_MS, id: "" };
      const params = {
        projects: owner.projects.map((project) => project.id),
        before_ms: receivedMs,
        behind_id: id,
        reason,
        limit: limit + 1,
      };
      const { rows } = await engine.select<ParkedRow>(PARKED, { params, signal });
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return {
        items: shown.map(({ received_ms, ...row }) => ({ ...row, received_at: new Date(received_ms).toISOString() })),
        nextCursor: last && `${last.received_ms}.${last.id}`,
      };
    },
  };
}

/** Undefined for a text that is no cursor. */
export function findParkedPosition(cursor: string): ParkedPosition | undefined {
  const [, time, id] = /^(\d{1,15})\.(.{1,80})$/.exec(cursor) ?? [];
  return time === undefined || id === undefined ? undefined : { receivedMs: Number(time), id };
}
