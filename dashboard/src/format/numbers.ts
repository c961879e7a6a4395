/** Numbers in the format of the browser's language. */
import { locale } from "./locale.ts";

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const exact = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
const small = new Intl.NumberFormat(locale, { maximumSignificantDigits: 2 });
const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
const wholePercent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 });
const points = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const signedPercent = new Intl.NumberFormat(locale, {
  style: "percent",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});

/** An amount is revenue or volume, in the unit of the project; a number is one of which no unit is known. */
export type Format = "count" | "amount" | "number" | "percent" | "duration";

/** Nothing was sent, or it adds up to nothing: a report's sum of no amounts is 0 too. */
const NO_AMOUNT = "–";

interface Money {
  /** 397.70, 121.00 and 635.49 stand under each other. */
  whole: (value: number) => string;
  exact: (value: number) => string;
  compact: (value: number) => string;
  small: (value: number) => string;
}

/** "$1.2K" for a currency that the browser knows, "1.2K USDC" for any other unit. */
function moneyIn(unit: string): Money {
  const isCurrency = Intl.supportedValuesOf("currency").includes(unit.toUpperCase());
  const style = isCurrency ? ({ style: "currency", currency: unit } as const) : {};
  const writer = (options: Intl.NumberFormatOptions) => {
    const format = new Intl.NumberFormat(locale, { ...style, ...options });
    return isCurrency
      ? (value: number) => format.format(value)
      : (value: number) => `${format.format(value)}\u00a0${unit}`;
  };
  return {
    whole: writer(isCurrency ? {} : { minimumFractionDigits: 2, maximumFractionDigits: 4 }),
    exact: writer({ minimumFractionDigits: 0, maximumFractionDigits: 2 }),
    compact: writer({ notation: "compact", minimumFractionDigits: 0, maximumFractionDigits: 1 }),
    small: writer({ maximumSignificantDigits: 2 }),
  };
}

let money = moneyIn("USD");
let unitOfMoney = "USD";

/** The shell sets the unit of the project before it draws a page, as it does with the workspace of requests. */
export function chooseMoney(unit: string): void {
  money = moneyIn(unit);
  unitOfMoney = unit;
}

/** The unit of amounts, where they stand without it. */
export function moneyUnit(): string {
  return unitOfMoney;
}

/** The short form for cards and axes: 12,345 -> 12.3K. */
export function short(value: number, format: Format): string {
  switch (format) {
    case "count":
      if (value !== 0 && Math.abs(value) < 1) return small.format(value);
      return Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value);
    case "amount":
      return Math.abs(value) < 10_000 ? amountText(value) : money.compact(value);
    case "number":
      return Math.abs(value) < 10_000 ? numberText(value) : compact.format(value);
    case "percent":
      return percent.format(value);
    case "duration":
      return duration(value);
  }
}

/** A number beside an axis: without cents where they are zero. */
export function tickText(value: number, format: Format): string {
  if (format !== "amount" || Math.abs(value) >= 10_000) return short(value, format);
  return value === 0 ? "0" : money.exact(value);
}

function amountText(value: number): string {
  if (value === 0) return NO_AMOUNT;
  return Math.abs(value) < 0.01 ? money.small(value) : money.whole(value);
}

function numberText(value: number): string {
  return value !== 0 && Math.abs(value) < 0.01 ? small.format(value) : exact.format(value);
}

/** The complete number, for tables and tooltips. */
export function full(value: number, format: Format): string {
  switch (format) {
    case "count":
      return whole.format(value);
    case "amount":
      return amountText(value);
    case "number":
      return numberText(value);
    case "percent":
      return percent.format(value);
    case "duration":
      return duration(value);
  }
}

/** A difference, with its sign; of rates in points of a percent. */
export function signed(value: number, format: Format): string {
  const text = format === "percent" ? `${points.format(Math.abs(value) * 100)} pp` : full(Math.abs(value), format);
  if (value === 0) return text;
  return `${value > 0 ? "+" : "-"}${text}`;
}

export function share(part: number, total: number): string {
  return total > 0 ? wholePercent.format(part / total) : "";
}

export function rate(value: number): string {
  return percent.format(value);
}

/** The change against a comparison; nothing to compare with is undefined. */
export function change(now: number, before: number): number | undefined {
  if (before === 0) return now === 0 ? 0 : undefined;
  return (now - before) / Math.abs(before);
}

/** Beyond ten times as much, the exact share says nothing. */
export function changeText(value: number): string {
  return value >= 9 ? ">10×" : signedPercent.format(value);
}

export function duration(seconds: number): string {
  const total = Math.round(seconds);
  if (seconds > 0 && seconds < 1) return `${Math.round(seconds * 1000)}ms`;
  if (total < 60) return `${total}s`;
  if (total < 3600) return `${Math.floor(total / 60)}m ${String(total % 60).padStart(2, "0")}s`;
  const hours = Math.floor(total / 3600);
  if (hours < 48) return `${hours}h ${String(Math.floor((total % 3600) / 60)).padStart(2, "0")}m`;
  return `${Math.round(hours / 24)} days`;
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"] as const;

/** 1,234,567 -> 1.2 MB. */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const unit = UNITS[power] ?? "byte";
  const options = { style: "unit", unit, maximumFractionDigits: power === 0 ? 0 : 1 } as const;
  return new Intl.NumberFormat(locale, options).format(bytes / 1000 ** power);
}
