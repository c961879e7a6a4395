/** Appends values to a buffer that grows, in the encoding that RowBinary and Native share. */
import { DAY_MS } from "../../../lib/time.ts";
import { type Cell, type ScalarType, toText } from "../types.ts";

const FIRST_BYTES = 16 * 1024;

export interface ByteWriter {
  byte(value: number): void;
  /** A length, seven bits a byte. */
  length(value: number): void;
  text(text: string): void;
  int32(value: number): void;
  uint64(value: number | bigint): void;
  /** A value that is neither null nor nested. */
  scalar(type: ScalarType, value: Cell): void;
  take(): Buffer;
}

/** What the values of all types are made of. */
interface Put extends Omit<ByteWriter, "scalar" | "take"> {
  float32(value: number): void;
  float64(value: number): void;
  integer(bytes: number, signed: boolean, value: Cell): void;
}

class GrowingBuffer {
  bytes = Buffer.allocUnsafe(FIRST_BYTES);
  /** Where the next value goes. */
  at = 0;

  reserve(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + bytes));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }

  take(): Buffer {
    const taken = this.bytes.subarray(0, this.at);
    this.bytes = Buffer.allocUnsafe(FIRST_BYTES);
    this.at = 0;
    return taken;
  }
}

export function createByteWriter(): ByteWriter {
  const out = new GrowingBuffer();

  const put = {
    byte(value: number): void {
      out.reserve(1);
      out.at = out.bytes.writeUInt8(value, out.at);
    },
    length(value: number): void {
      out.reserve(10);
      let rest = value;
      for (; rest >= 128; rest = Math.floor(rest / 128)) out.at = out.bytes.writeUInt8((rest % 128) + 128, out.at);
      out.at = out.bytes.writeUInt8(rest, out.at);
    },
    text(text: string): void {
      const bytes = Buffer.byteLength(text);
      put.length(bytes);
      out.reserve(bytes);
      out.at += out.bytes.write(text, out.at);
    },
    int32(value: number): void {
      out.reserve(4);
      out.at = out.bytes.writeInt32LE(value, out.at);
    },
    uint64(value: number | bigint): void {
      out.reserve(8);
      out.at = out.bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), out.at);
    },
    integer(bytes: number, signed: boolean, value: Cell): void {
      out.reserve(8);
      if (bytes === 8) put.uint64(toBigInt(value, signed));
      else if (signed) out.at = out.bytes.writeIntLE(Number(value), out.at, bytes);
      else out.at = out.bytes.writeUIntLE(Number(value), out.at, bytes);
    },
    float32(value: number): void {
      out.reserve(4);
      out.at = out.bytes.writeFloatLE(value, out.at);
    },
    float64(value: number): void {
      out.reserve(8);
      out.at = out.bytes.writeDoubleLE(value, out.at);
    },
    scalar: (type: ScalarType, value: Cell): void => putScalar(put, type, value),
    take: () => out.take(),
  };
  return put;
}

/** A value that is neither null nor nested. */
function putScalar(put: Put, type: ScalarType, value: Cell): void {
  switch (type.kind) {
    case "Int":
      put.integer(type.bytes, type.signed, value);
      return;
    case "Float32":
      put.float32(Number(value));
      return;
    case "Float64":
      put.float64(Number(value));
      return;
    case "Bool":
      put.byte(value ? 1 : 0);
      return;
    case "Date":
      put.integer(2, false, clamp(toDays(toText(type, value)), 0, 65_535));
      return;
    case "Date32":
      put.int32(toDays(toText(type, value)));
      return;
    case "DateTime":
      put.integer(4, false, clamp(Math.floor(toMillis(toText(type, value)) / 1000), 0, 4_294_967_295));
      return;
    case "DateTime64":
      put.uint64(toTicks(toText(type, value), type.scale));
      return;
    case "Decimal":
      putDecimal(put, type, toText(type, value));
      return;
    case "UUID":
      putUuid(put, toText(type, value));
      return;
    case "String":
      put.text(toText(type, value));
  }
}

/** The number times 10^scale, in as many bytes as the precision needs. */
function putDecimal(put: Put, { precision, scale }: { precision: number; scale: number }, text: string): void {
  const number = toScaled(text, scale);
  if (precision <= 9) put.int32(Number(number));
  else put.uint64(number);
  // The sign goes on.
  if (precision > 18) put.uint64(number >> 64n);
}

/** Two numbers of 64 bits. */
function putUuid(put: Put, text: string): void {
  const hex = text.replaceAll("-", "");
  put.uint64(BigInt(`0x${hex.slice(0, 16)}`));
  put.uint64(BigInt(`0x${hex.slice(16)}`));
}

function toBigInt(value: Cell, signed: boolean): bigint {
  const number = BigInt(typeof value === "number" ? Math.trunc(value) : (value as string | bigint));
  if ((signed ? BigInt.asIntN(64, number) : BigInt.asUintN(64, number)) !== number)
    throw new RangeError(`${number} does not fit into a column of 64-bit integers`);
  return number;
}

function toScaled(text: string, scale: number): bigint {
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  return BigInt(`${sign}${whole}${fraction.slice(0, scale).padEnd(scale, "0")}`);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** Of `YYYY-MM-DD hh:mm:ss` with or without a fraction, in UTC. */
function toMillis(text: string): number {
  const ms = Date.parse(`${text.replace(" ", "T")}Z`);
  if (Number.isNaN(ms)) throw new RangeError(`${text} is not a time`);
  return ms;
}

function toDays(text: string): number {
  return Math.floor(Date.parse(`${text.slice(0, 10)}T00:00:00Z`) / DAY_MS);
}

/** Units of 10^-scale seconds since 1970. `Date` has only milliseconds, so the fraction is read apart. */
function toTicks(text: string, scale: number): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  const seconds = BigInt(toMillis(whole) / 1000);
  return seconds * 10n ** BigInt(scale) + BigInt(fraction.slice(0, scale).padEnd(scale, "0") || 0);
}
