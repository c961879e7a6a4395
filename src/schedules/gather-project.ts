/** What the report of a project says: figures with their change, the trend, and where people came from and went. */
import type { ReportName } from "../contract/reports.ts";
import type { ImportedNote } from "../query/report/imported.ts";
import { nameOfChain } from "./chain-names.ts";
import {
  CONTENT_LIMITS,
  cutName,
  type Figure,
  type Format,
  type Gathered,
  joinImported,
  type Part,
} from "./content.ts";

interface Days {
  readonly from: string;
  readonly to: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Asks a report of the project. */
export type AskReport = (
  name: ReportName,
  query: Readonly<Record<string, unknown>>,
) => Promise<{
  readonly data: readonly Row[];
  readonly rows_before_limit_at_least: number;
  readonly imported?: ImportedNote | undefined;
}>;

const FIGURES: readonly (Omit<Figure, "value" | "before"> & { readonly name: string })[] = [
  { name: "visitors", label: "Visitors", format: "count", lowerIsBetter: false },
  { name: "sessions", label: "Sessions", format: "count", lowerIsBetter: false },
  { name: "pageviews", label: "Page views", format: "count", lowerIsBetter: false },
  { name: "wallets", label: "Wallets", format: "count", lowerIsBetter: false },
  { name: "transactions", label: "Transactions", format: "count", lowerIsBetter: false },
  { name: "volume", label: "Volume", format: "amount", lowerIsBetter: false },
  { name: "revenue", label: "Revenue", format: "amount", lowerIsBetter: false },
  { name: "bounce_rate", label: "Bounce rate", format: "percent", lowerIsBetter: true },
];

export async function gatherProject(ask: AskReport, days: Days, before: Days): Promise<Gathered> {
  const window = { date_from: days.from, date_to: days.to };
  const compared = { compare_from: before.from, compare_to: before.to };
  const all = await ask("kpis", { ...window, ...compared, interval: "all" });
  const daily = await ask("kpis", { ...window, interval: "day" });
  const parts: Part[] = [
    { kind: "figures", figures: toFigures(all.data[0]) },
    toSeries("Visitors by day", "visitors", "count", daily.data),
    ...(sum(daily.data, "revenue") > 0 ? [toSeries("Revenue by day", "revenue", "amount", daily.data)] : []),
    await top(ask, window, "Top sources", "top_sources", (row) => text(row.referrer) || "Direct"),
    await top(ask, window, "Top pages", "top_pages", (row) => text(row.pathname) || "/"),
    await top(ask, window, "Top chains", "top_chains", (row) => nameOfChain(text(row.chain_id))),
  ];
  return { parts, imported: joinImported([all.imported, daily.imported]) };
}

function toFigures(row: Row | undefined): Figure[] {
  return FIGURES.map(({ name, ...figure }) => ({
    ...figure,
    value: Number(row?.[name] ?? 0),
    before: Number(row?.[`${name}_previous`] ?? 0),
  }));
}

function toSeries(title: string, name: string, format: Format, rows: readonly Row[]): Part {
  const points = rows.map((row) => ({ name: text(row.date), value: Number(row[name] ?? 0) }));
  return { kind: "series", title, format, points };
}

async function top(
  ask: AskReport,
  window: Readonly<Record<string, string>>,
  title: string,
  report: ReportName,
  nameOf: (row: Row) => string,
): Promise<Part> {
  const { data, rows_before_limit_at_least: all } = await ask(report, { ...window, limit: CONTENT_LIMITS.rows });
  const rows = data.map((row) => ({ name: cutName(nameOf(row)), value: Number(row.sessions ?? 0) }));
  return { kind: "list", title, measure: "Sessions", format: "count", rows, more: Math.max(0, all - rows.length) };
}

function sum(rows: readonly Row[], name: string): number {
  return rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
