import { RankedBars } from "../../charts/ranked-bars.tsx";
import { TimeChart } from "../../charts/time-chart.tsx";
import { bucketMs, bucketText, shortDayText } from "../../format/dates.ts";

type Row = Readonly<Record<string, unknown>>;

const DAY = /^\d{4}-\d{2}-\d{2}/;
const MOST_BARS = 30;

/** The columns that a chart can show: one of dates or names, and one of numbers. */
export function chartColumns(rows: readonly Row[]): { label: string; value: string; isTime: boolean } | undefined {
  const [first] = rows;
  if (first === undefined || rows.length < 2) return undefined;
  const names = Object.keys(first);
  const value = names.find((name) => rows.every((row) => row[name] === null || typeof row[name] === "number"));
  const label = names.find((name) => name !== value && rows.every((row) => typeof row[name] === "string"));
  if (value === undefined || label === undefined) return undefined;
  return { label, value, isTime: rows.every((row) => DAY.test(String(row[label]))) };
}

export function ResultChart({ rows }: { rows: readonly Row[] }) {
  const columns = chartColumns(rows);
  if (columns === undefined) return null;
  const { label, value, isTime } = columns;
  if (isTime) {
    const sorted = [...rows].sort((one, other) => (String(one[label]) < String(other[label]) ? -1 : 1));
    return (
      <TimeChart
        label={`${value} by ${label}`}
        format="number"
        height={220}
        points={sorted.map((row) => {
          const text = String(row[label]);
          return {
            label: text.length > 10 ? text : bucketText(bucketMs(text), "day"),
            axis: shortDayText(text.slice(0, 10)),
            value: row[value] === null ? null : Number(row[value]),
          };
        })}
      />
    );
  }
  return (
    <RankedBars
      format="number"
      rows={rows.slice(0, MOST_BARS).map((row, index) => ({
        key: `${index} ${String(row[label])}`,
        name: String(row[label]),
        value: Number(row[value] ?? 0),
      }))}
    />
  );
}
