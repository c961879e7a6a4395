import { axisText, shortDayText } from "../format/dates.ts";
import { dayMs } from "../format/days.ts";
import { full, share } from "../format/numbers.ts";
import { columnName, countColumns, INTERVAL_NAMES } from "./cohorts.ts";
import type { RetentionTableProps } from "./drawings.ts";

/** The darkest shade on which the text of the page is still readable: 4.5:1 in both themes. */
const DARKEST = 0.42;

/** The triangle: a line for each week of first visits, a column for each week after it that has begun. */
export function RetentionTable({ cohorts, interval = "week", most = Infinity }: RetentionTableProps) {
  const columns = Array.from({ length: Math.min(most, countColumns(cohorts)) }, (_, nth) => nth);
  // Week 0 is always everyone; the shades of the others are compared with the best of them.
  const later = cohorts.flatMap(({ shares }) => shares.slice(1, columns.length).map((value) => value ?? 0));
  const best = Math.max(0.01, ...later);
  return (
    <table className="heat numbers retention" aria-label={`Retention by ${interval}`}>
      <thead>
        <tr>
          <th scope="col">{interval === "week" ? "Week of" : INTERVAL_NAMES[interval]}</th>
          <th scope="col" className="number">
            Users
          </th>
          {columns.map((nth) => (
            <th key={nth} scope="col">
              {columnName(nth, interval)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {cohorts.map((cohort) => (
          <tr key={cohort.start}>
            <th scope="row">
              {interval === "month" ? axisText(dayMs(cohort.start), interval, 31) : shortDayText(cohort.start)}
            </th>
            <td className="number plain">{full(cohort.users, "count")}</td>
            {columns.map((nth) => {
              const value = cohort.shares[nth];
              if (value == null) return <td key={nth} />;
              const isOver = nth === 0 || nth < cohort.whole;
              const heat = nth === 0 ? 1 : Math.min(1, value / best) * DARKEST;
              return (
                <td key={nth}>
                  <span
                    className={isOver ? "heat-cell" : "heat-cell partial"}
                    style={{ "--heat": isOver ? heat : 0 } as Record<string, number>}
                    data-full={nth === 0}
                    title={isOver ? undefined : `So far: this ${interval} is not over`}
                  >
                    {share(value, 1)}
                    {isOver ? null : <span className="hidden"> so far</span>}
                  </span>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
