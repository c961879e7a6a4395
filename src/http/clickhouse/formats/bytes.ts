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

export function createByteWriter(): ByteWriter {
  let buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let at = 0;

  function reserve(bytes: number): void {
    if (at + bytes <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + bytes));
    buffer.copy(larger, 0, 0, at);
    buffer = larger;
  }

  const put = {
    byte(value: number): void {
      reserve(1);
      at = buffer.writeUInt8(value, at);
    },
    length(value: number): void {
      reserve(10);
      let rest = value;
      for (; rest >= 128; rest = Math.floor(rest / 128)) at = buffer.writeUInt8((rest % 128) + 128, at);
      at = buffer.writeUInt8(rest, at);
    },
    text(text: string): void {
      const bytes = Buffer.byteLength(text);
      put.length(bytes);
      reserve(bytes);
      at += buffer.write(text, at);
    },
    int32(value: number): void {
      reserve(4);
      at = buffer.writeInt32LE(value, at);
    },
    uint64(value: number | bigint): void {
      reserve(8);
      at = buffer.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), at);
    },
    integer(bytes: number, signed: boolean, value: Cell): void {
      reserve(8);
      if (bytes === 8) put.uint64(toBigInt(value, signed));
      else if (signed) at = buffer.writeIntLE(Number(value), at, bytes);
      else at = buffer.writeUIntLE(Number(value), at, bytes);
    },
    /** The number times 10^scale, in as many bytes as the precision needs. */
    decimal({ precision, scale }: { precision: number; scale: number }, text: string): void {
      const number = toScaled(text, scale);
      if (precision <= 9) put.int32(Number(number));
      else put.uint64(number);
      // The sign goes on.
      if (precision > 18) put.uint64(number >> 64n);
    },
    /** Two numbers of 64 bits. */
    uuid(text: string): void {
      const hex = text.replaceAll("-", "");
      put.uint64(BigInt(`0x${hex.slice(0, 16)}`));
      put.uint64(BigInt(`0x${hex.slice(16)}`));
    },
    scalar(type: ScalarType, value: Cell): void {
      switch (type.kind) {
        case "Int":
          put.integer(type.bytes, type.signed, value);
          return;
        case "Float32":
          reserve(4);
          at = buffer.writeFloatLE(Number(value), at);
          return;
        case "Float64":
          reserve(8);
          at = buffer.writeDoubleLE(Number(value), at);
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
          put.decimal(type, toText(type, value));
          return;
        case "UUID":
          put.uuid(toText(type, value));
          return;
        case "String":
          put.text(toText(type, value));
      }
    },
    take: () => {
      const bytes = buffer.subarray(0, at);
      buffer = Buffer.allocUnsafe(FIRST_BYTES);
      at = 0;
      return bytes;
    },
  };
  return put;
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
