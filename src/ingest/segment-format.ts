/**
 * A segment file is a header of 64 bytes and then records, all numbers little-endian:
 *
 *   header   magic 8 | version u32 | salt u32 | segment u64 | previous segment u64 | end of the previous u64 |
 *            made at f64 | zeros 12 | crc u32
 *   record   salt u32 | crc u32 | payload length u32 | bytes since its group's start u32 | payload
 *
 * - A header stores where the previous segment ends. It is on disk before the first record of its segment is accepted.
 *   So older segments need no scan and no trailer, and a segment whose disk fails is ended without another write to it.
 * - The salt is random for each segment and marks the start of a record. The search after damage is one indexOf, and a
 *   client that writes fake records into a payload cannot know the salt.
 * - The crc of a record starts from its segment and offset, so stale bytes of another file and moved bytes never pass.
 *   That costs nothing, because a crc takes a starting value; the crc itself takes 0.5 us for 1 KB.
 * - Everything before a record's group was synced before the record was written. That distinguishes damage from a torn
 *   tail: see segment-scan.ts.
 */
import { crc32 } from "node:zlib";
import type { Position } from "./log-position.ts";

export const SEGMENT_HEADER_BYTES = 64;
export const RECORD_HEADER_BYTES = 16;
/** Three times the largest request body (10 MiB); a length above it means damage. */
export const MAX_PAYLOAD_BYTES = 32 * 1024 * 1024;
/** A scan holds a whole segment in memory. */
export const MAX_SEGMENT_BYTES = 256 * 1024 * 1024;

const MAGIC = Buffer.from("SXTNTLOG", "latin1");
/** 2: the body of a request may be packed (logged-request.ts). The layout of segments is that of version 1. */
const VERSION = 2;

export interface SegmentHeader {
  readonly number: number;
  /** Never 0, so that a run of zeros contains no record. */
  readonly salt: number;
  readonly previous: Position;
  readonly madeAtMs: number;
}

export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(VERSION, 8);
  bytes.writeUInt32LE(header.salt, 12);
  bytes.writeBigUInt64LE(BigInt(header.number), 16);
  bytes.writeBigUInt64LE(BigInt(header.previous.segment), 24);
  bytes.writeBigUInt64LE(BigInt(header.previous.offset), 32);
  bytes.writeDoubleLE(header.madeAtMs, 40);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  return bytes;
}

/** Undefined for anything but a complete, intact header. */
export function decodeSegmentHeader(bytes: Buffer): SegmentHeader | "newer" | undefined {
  if (bytes.length < SEGMENT_HEADER_BYTES || !bytes.subarray(0, 8).equals(MAGIC)) return undefined;
  if (crc32(bytes.subarray(0, 60)) !== bytes.readUInt32LE(60)) return undefined;
  if (bytes.readUInt32LE(8) > VERSION) return "newer";
  return {
    number: Number(bytes.readBigUInt64LE(16)),
    salt: bytes.readUInt32LE(12),
    previous: { segment: Number(bytes.readBigUInt64LE(24)), offset: Number(bytes.readBigUInt64LE(32)) },
    madeAtMs: bytes.readDoubleLE(40),
  };
}

export interface RecordPlace {
  readonly segment: Pick<SegmentHeader, "number" | "salt">;
  /** Where the record starts in its file. */
  readonly offset: number;
}

/** Writes the header of the record of `bytes` at `at`, whose payload is behind it already. */
export function sealRecord(memory: Buffer, at: number, bytes: number, place: RecordPlace, groupStart: number): void {
  memory.writeUInt32LE(place.segment.salt, at);
  memory.writeUInt32LE(bytes - RECORD_HEADER_BYTES, at + 8);
  memory.writeUInt32LE(place.offset - groupStart, at + 12);
  memory.writeUInt32LE(crc32(memory.subarray(at + 8, at + bytes), seedOf(place)), at + 4);
}

export type FoundRecord =
  | { readonly kind: "record"; readonly bytes: number; readonly groupStart: number }
  /** The buffer ends before the record; the record needs this many bytes. */
  | { readonly kind: "cut"; readonly bytes: number }
  | { readonly kind: "bad" };

const BAD: FoundRecord = { kind: "bad" };

/** Reads the record at `at` of a buffer that was read from a segment. */
export function findRecord(from: Buffer, at: number, place: RecordPlace): FoundRecord {
  if (from.length - at < RECORD_HEADER_BYTES) return { kind: "cut", bytes: RECORD_HEADER_BYTES };
  const length = from.readUInt32LE(at + 8);
  if (from.readUInt32LE(at) !== place.segment.salt || length > MAX_PAYLOAD_BYTES) return BAD;
  const bytes = RECORD_HEADER_BYTES + length;
  if (from.length - at < bytes) return { kind: "cut", bytes };
  if (crc32(from.subarray(at + 8, at + bytes), seedOf(place)) !== from.readUInt32LE(at + 4)) return BAD;
  return { kind: "record", bytes, groupStart: place.offset - from.readUInt32LE(at + 12) };
}

/** The checksum of the record that was found at `at`. */
export function checkOf(from: Buffer, at: number): number {
  return from.readUInt32LE(at + 4);
}

function seedOf({ segment, offset }: RecordPlace): number {
  return (segment.salt ^ Math.imul(segment.number, 0x9e3779b1) ^ offset) >>> 0;
}
