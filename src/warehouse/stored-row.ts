import type { BatchForm, EncodedBatch } from "../engines/batch.ts";
import { createBlockWriter } from "../engines/event-block.ts";
import type { ColumnReaders, StoredRow } from "../engines/event-columns.ts";
import { createRowWriter } from "../engines/row-binary.ts";
import type { EventRow } from "../enrich/row.ts";
import type { BufferPool } from "../lib/buffer-pool.ts";

const READERS: ColumnReaders<EventRow> = {
  project_id: (row) => row.project_id,
  timestamp: (row) => row.timestamp,
  dedupe_day: (row) => row.day,
  message_id: (row) => row.message_id,
  received_at: (row) => row.received_at,
  original_after_ms: (row) => row.original_timestamp - row.timestamp,
  sent_after_ms: (row) => row.sent_at - row.original_timestamp,
  channel: (row) => row.channel,
  type: (row) => row.type,
  event: (row) => row.event,
  version: (row) => row.version,
  anonymous_id: (row) => row.anonymous_id,
  user_id: (row) => row.user_id,
  address: (row) => row.address,
  address_spelt: (row) => (row.address_raw === row.address ? "" : row.address_raw),
  session_id: (row) => row.session_id,
  origin: (row) => row.origin,
  pathname: (row) => row.pathname,
  referrer: (row) => row.referrer,
  referrer_url: (row) => row.referrer_url,
  ref: (row) => row.ref,
  utm_source: (row) => row.utm_source,
  utm_medium: (row) => row.utm_medium,
  utm_campaign: (row) => row.utm_campaign,
  utm_term: (row) => row.utm_term,
  utm_content: (row) => row.utm_content,
  device: (row) => row.device,
  browser: (row) => row.browser,
  os: (row) => row.os,
  location: (row) => row.location,
  rdns: (row) => row.rdns,
  provider_name: (row) => row.provider_name,
  chain_id: (row) => row.chain_id,
  builder_codes: (row) => row.builder_codes,
  volume: (row) => row.volume,
  revenue: (row) => row.revenue,
  points: (row) => row.points,
  acquisition: (row) => row.acquisition,
  has_touch: (row) => row.has_touch,
  context: (row) => row.context,
  properties: (row) => row.properties,
  extra: (row) => row.extra,
  paid_source: (row) => row.paid_source,
  click_id: (row) => row.click_id,
};

export interface EventWriter {
  /** Forgets all rows. */
  clear(): void;
  add(row: EventRow): void;
  finish(): Pick<EncodedBatch, "starts"> & { readonly events: Uint8Array };
}

/** Encodes enriched events for the engine. */
export function createEventWriter(form: BatchForm, buffers?: BufferPool): EventWriter {
  if (form === "columns") {
    const writer = createBlockWriter(READERS, buffers);
    return { ...writer, finish: () => ({ events: writer.finish(), starts: new Uint32Array() }) };
  }
  const writer = createRowWriter(READERS, buffers);
  const finish = () => {
    const { bytes, starts } = writer.finish();
    return { events: bytes, starts };
  };
  return { ...writer, finish };
}

export function toStoredRow(row: EventRow): StoredRow {
  return Object.fromEntries(Object.entries(READERS).map(([name, read]) => [name, read(row)])) as unknown as StoredRow;
}
