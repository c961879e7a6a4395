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
  const common = findCommonTimeOf(value);
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
 * As findTime, of the text between `start` and `end` of a body: the common form is read without making a text of it
 * (0.03 us instead of 0.2).
 */
export function findTimeIn(bytes: Buffer, start: number, end: number): number | undefined {
  const common = end - start === COMMON_LENGTH ? findCommonTime(bytes, start) : undefined;
  return common ?? findTime(bytes.toString("latin1", start, end));
}

/** Of `2026-01-31T12:00:00.000Z`. */
const COMMON_LENGTH = 24;
const SEPARATORS = "--T::.Z";
const SEPARATORS_AT = [4, 7, 10, 13, 16, 19, 23];
const ZERO = 0x30;
/** Below every sum of digits. */
const NO_NUMBER = -1_000_000_000;

const letters = new Uint8Array(COMMON_LENGTH);

function findCommonTimeOf(text: string): number | undefined {
  if (text.length !== COMMON_LENGTH) return undefined;
  for (let at = 0; at < COMMON_LENGTH; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return undefined;
    letters[at] = code;
  }
  return findCommonTime(letters, 0);
}

/** The day that was read last: nearly all events of a body are from the same. */
let lastDate = -1;
let lastDateMs = 0;

/**
 * Reads the form that nearly every client sends digit by digit: 0.03 us, where `Date.parse` takes 0.4 us and the
 * expression above 1.5 us. Each event has two times, and each is read twice.
 */
function findCommonTime(bytes: Uint8Array, start: number): number | undefined {
  for (let i = 0; i < SEPARATORS.length; i += 1)
    if (bytes[start + (SEPARATORS_AT[i] as number)] !== SEPARATORS.charCodeAt(i)) return undefined;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const [month, day] = [twoDigits(bytes, start + 5), twoDigits(bytes, start + 8)];
  const date = (year * 100 + month) * 100 + day;
  if (date !== lastDate) {
    const dayMs = dateMs(year, month, day);
    if (dayMs === undefined) return undefined;
    lastDate = date;
    lastDateMs = dayMs;
  }
  const [hour, minute] = [twoDigits(bytes, start + 11), twoDigits(bytes, start + 14)];
  const [second, hundredths] = [twoDigits(bytes, start + 17), twoDigits(bytes, start + 20)];
  const last = bytes[start + 22] as number;
  const isInRange = hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59;
  if (!isInRange || hundredths < 0 || !isDigit(last)) return undefined;
  return lastDateMs + (hour * 60 + minute) * MINUTE_MS + second * SECOND_MS + hundredths * 10 + last - ZERO;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] as number;
  const ones = bytes[at + 1] as number;
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
