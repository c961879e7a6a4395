/** Numbers, changes and days as people read them in a mail, in English. */
import type { Content, Figure, Format } from "./content.ts";

const LOCALE = "en-US";
const whole = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const parts = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 1 });
const wholePercent = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 0 });

/** Exact below a million; beyond it nobody reads the last digits. */
const MOST_EXACT = 1_000_000;

export function numberText(value: number, format: Format, unit: string): string {
  switch (format) {
    case "count":
      return Math.abs(value) < MOST_EXACT ? parts.format(value) : compact.format(value);
    case "amount":
      return amountText(value, unit);
    case "percent":
      return percent.format(value);
    case "duration":
      return durationText(value);
  }
}

function amountText(value: number, unit: string): string {
  const isExact = Math.abs(value) < MOST_EXACT;
  const currency = unit.toUpperCase();
  if (Intl.supportedValuesOf("currency").includes(currency)) {
    const digits = isExact ? {} : ({ notation: "compact", maximumFractionDigits: 1 } as const);
    return new Intl.NumberFormat(LOCALE, { style: "currency", currency, ...digits }).format(value);
  }
  return `${isExact ? parts.format(value) : compact.format(value)} ${unit}`;
}

function durationText(seconds: number): string {
  const all = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rest} s` : `${rest} s`;
}

export interface Change {
  /** `+12%`, `−3%`, `no change`, `new`. Signs, because fonts of mail clients lack arrows. */
  readonly text: string;
  readonly mood: "good" | "bad" | "neutral";
}

/** Shares change by points: from 10% to 12% is 2 points, and not 20%. */
export function changeOf({ value, before, format, lowerIsBetter }: Figure): Change {
  if (before === null) return { text: "–", mood: "neutral" };
  if (value === before) return { text: "no change", mood: "neutral" };
  const isMore = value > before;
  const mood = isMore === lowerIsBetter ? "bad" : "good";
  const sign = isMore ? "+" : "−";
  if (format === "percent")
    return { text: `${sign}${parts.format(round(Math.abs(value - before) * 100))} points`, mood };
  if (before === 0) return { text: "new", mood };
  const share = Math.abs(value - before) / Math.abs(before);
  const text = share < 0.01 ? percent.format(share) : wholePercent.format(share);
  return { text: share > 99 ? `×${whole.format(value / before)}` : `${sign}${text}`, mood };
}

const round = (points: number) => Math.round(points * 10) / 10;

const dayAndMonth = new Intl.DateTimeFormat(LOCALE, { timeZone: "UTC", day: "numeric", month: "long" });
const withYear = new Intl.DateTimeFormat(LOCALE, { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" });
const monthAndYear = new Intl.DateTimeFormat(LOCALE, { timeZone: "UTC", month: "long", year: "numeric" });
const shortDay = new Intl.DateTimeFormat(LOCALE, { timeZone: "UTC", weekday: "short", day: "numeric", month: "short" });

const at = (day: string) => new Date(`${day}T00:00:00Z`);

/** `November 9 – November 15, 2026`, or `October 2026`. */
export function periodText({ every, from, to }: Pick<Content, "every" | "from" | "to">): string {
  if (every === "month") return monthAndYear.format(at(from));
  const first = from.slice(0, 4) === to.slice(0, 4) ? dayAndMonth : withYear;
  return `${first.format(at(from))} – ${withYear.format(at(to))}`;
}

/** What changes are against. */
export function beforeText({ every, before }: Pick<Content, "every" | "before">): string {
  return every === "month" ? periodText({ every, ...before }) : "the week before";
}

/** `Mon, Nov 9` for a day; another name stays as it is. */
export function pointName(name: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(name) ? shortDay.format(at(name)) : name;
}

export function subjectOf(content: Content): string {
  return `${content.isTest ? "Test: " : ""}${content.title}: ${periodText(content)}`;
}

export function lateText({ lateSince }: Pick<Content, "lateSince">): string | undefined {
  return lateSince === null
    ? undefined
    : `This report comes late: it was due on ${withYear.format(new Date(lateSince))}.`;
}

const PRODUCTS: Readonly<Record<string, string>> = { plausible: "Plausible" };

/** Whose counts are among these days. */
export function importedText({ imported }: Pick<Content, "imported">): string | undefined {
  if (imported == null) return undefined;
  const { from, to, source } = imported;
  const names = source.split(", ").map((name) => PRODUCTS[name] ?? name);
  const days =
    from === to ? `${withYear.format(at(from))} is a day` : `${periodText({ every: "week", from, to })} are days`;
  return `${days} that ${names.join(" and ")} counted.`;
}

/** The page with these days, below the address of the service. */
export function pathOf({ project, boardId, from, to }: Pick<Content, "project" | "boardId" | "from" | "to">): string {
  const search = new URLSearchParams({ project: project.id, period: "custom", from, to });
  if (boardId === null) return `/app?${search.toString()}`;
  search.set("board", boardId);
  return `/app/boards/board?${search.toString()}`;
}
