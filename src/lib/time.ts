import { BoundedCache } from "./bounded-cache.ts";

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 86_400_000;

/**
 * The range that both a `Date` and a `DateTime64(3)` column can hold, and the years people mean: from 1970 until before
 * 2100.
 */
const EARLIEST_MS = 0;
export const LATEST_MS = Date.UTC(2100, 0, 1) - 1;

const SHAPE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,3})\d*)?)?\s?(?:([Zz])|([+-])(\d\d):?(\d\d)?)?)?$/;
/** The longest sensible spelling has nanoseconds and an offset. Longer texts are not matched at all. */
const LONGEST = 48;

/**
 * Reads RFC 3339 into epoch milliseconds. A blank may replace the `T`, and a missing zone means UTC: `Date.parse` would
 * use the server's own zone. Dates without a time, missing seconds and `+0200` are accepted, because parking them helps
 * nobody.
 */
export function findTime(value: unknown): number | undefined {
  if (typeof value !== "string" || value.length > LONGEST) return undefined;
  const common = findCommonTime(value);
  if (common !== undefined) return common;
  const parts = SHAPE.exec(value);
  if (parts === null) return undefined;
  const [
    ,
    year,
    month,
    day,
    hour = "0",
    minute = "0",
    second = "0",
    fraction = "",
    ,
    sign,
    zoneHour = "0",
    zoneMinute = "0",
  ] = parts;
  const date = dateMs(Number(year), Number(month), Number(day));
  if (date === undefined || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const clock = (Number(hour) * 60 + Number(minute)) * 60_000 + Number(second) * 1000 + Number(fraction.padEnd(3, "0"));
  if (clock > DAY_MS + 1000) return undefined;
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000;
  return date + clock - (sign === "-" ? -offset : offset);
}

/**
 * Reads the form that nearly every client sends, `2026-01-31T12:00:00.000Z`, digit by digit: 0.1 us, where `Date.parse`
 * takes 0.4 us and the expression above 1.5 us. Each event has two times, and each is read twice. The last days of a
 * month go through the slow path.
 */
function findCommonTime(text: string): number | undefined {
  if (text.length !== 24) return undefined;
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH || text.charCodeAt(10) !== LETTER_T) return undefined;
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return undefined;
  if (text.charCodeAt(19) !== DOT || text.charCodeAt(23) !== LETTER_Z) return undefined;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  const tens = twoDigits(text, 20);
  const ones = text.charCodeAt(22);
  if (year < 1000 || month < 1 || month > 12 || day < 1 || day > 28 || tens < 0 || !isDigit(ones)) return undefined;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return undefined;
  const date = (year * 100 + month) * 100 + day;
  if (date !== lastDate) {
    lastDate = date;
    lastDateMs = Date.UTC(year, month - 1, day);
  }
  return lastDateMs + ((hour * 60 + minute) * 60 + second) * 1000 + tens * 10 + ones - ZERO;
}

const [DASH, DOT, ZERO, COLON, LETTER_T, LETTER_Z] = [0x2d, 0x2e, 0x30, 0x3a, 0x54, 0x5a];

/**
 * As findTime, of the text between `start` and `end` of a body: the common form is read without making a text of it
 * (0.03 us instead of 0.2).
 */
export function findTimeIn(bytes: Buffer, start: number, end: number): number | undefined {
  return findCommonTimeIn(bytes, start, end) ?? findTime(bytes.toString("latin1", start, end));
}

/** The day that was read last: nearly all events of a body are from the same. */
let lastDate = -1;
let lastDateMs = 0;

function findCommonTimeIn(bytes: Buffer, start: number, end: number): number | undefined {
  if (end - start !== 24) return undefined;
  for (let i = 0; i < SEPARATORS.length; i += 1)
    if (bytes[start + (SEPARATORS_AT[i] as number)] !== SEPARATORS.charCodeAt(i)) return undefined;
  const date =
    twoDigitsIn(bytes, start) * 1_000_000 +
    twoDigitsIn(bytes, start + 2) * 10_000 +
    twoDigitsIn(bytes, start + 5) * 100 +
    twoDigitsIn(bytes, start + 8);
  if (date !== lastDate) {
    const dateMs = findTime(bytes.toString("latin1", start, start + 10));
    if (dateMs === undefined) return undefined;
    lastDate = date;
    lastDateMs = dateMs;
  }
  const [hour, minute] = [twoDigitsIn(bytes, start + 11), twoDigitsIn(bytes, start + 14)];
  const [second, hundredths] = [twoDigitsIn(bytes, start + 17), twoDigitsIn(bytes, start + 20)];
  const last = bytes[start + 22] as number;
  const isInRange = hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59;
  if (!isInRange || hundredths < 0 || !isDigit(last)) return undefined;
  return lastDateMs + (hour * 60 + minute) * 60_000 + second * 1000 + hundredths * 10 + last - ZERO;
}

function twoDigitsIn(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] as number;
  const ones = bytes[at + 1] as number;
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : NO_NUMBER;
}

/** Of `2026-01-31T12:00:00.000Z`. */
const SEPARATORS = "--T::.Z";
const SEPARATORS_AT = [4, 7, 10, 13, 16, 19, 23];
/** Below every sum of digits. */
const NO_NUMBER = -1_000_000_000;

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : NO_NUMBER;
}

function dateMs(year: number, month: number, day: number): number | undefined {
  // Date.UTC moves the years 0 to 99 into the 20th century, and 30 February into March.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const real = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return real ? date.getTime() : undefined;
}

export function clampTime(ms: number): number {
  return Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS);
}

const dayNames = new BoundedCache<string, number>(4096);

/** `YYYY-MM-DD` in UTC of a time within the range above. Cached, because most events are from today. */
export function dayOf(ms: number): string {
  const index = Math.floor(ms / DAY_MS);
  const known = dayNames.find(index);
  if (known !== undefined) return known;
  const name = new Date(index * DAY_MS).toISOString().slice(0, 10);
  dayNames.put(index, name);
  return name;
}

/** Days as YYYY-MM-DD sort as strings. */
export function latestDay(days: readonly string[]): string {
  return days.toSorted().at(-1) ?? "";
}

export function addDays(day: string, count: number): string {
  return dayOf(Date.parse(day) + count * DAY_MS);
}

/** 1 is Monday. */
export function weekdayOf(day: string): number {
  return new Date(day).getUTCDay() || 7;
}
