import { shortDayText } from "../format/dates.ts";
import { full, share } from "../format/numbers.ts";
import type { Cohort } from "./cohorts.ts";

/** The darkest shade on which the text of the page is still readable: 4.5:1 in both themes. */
const DARKEST = 0.42;

/** The triangle: a line for each week of first visits, a column for each week after it. */
export function RetentionTable({ cohorts, weeks }: { cohorts: readonly Cohort[]; weeks: number }) {
  const columns = Array.from({ length: weeks }, (_, week) => week);
  // Week 0 is always everyone; the shades of the others are compared with the best of them.
  const best = Math.max(0.01, ...cohorts.flatMap(({ shares }) => shares.slice(1, weeks).map((value) => value ?? 0)));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="table-scroll keys" aria-label="Retention, table" tabIndex={0}>
      <table className="heat numbers retention" aria-label="Retention by week">
        <thead>
          <tr>
            <th scope="col">Week of</th>
            <th scope="col" className="number">
              Users
            </th>
            {columns.map((week) => (
              <th key={week} scope="col">
                {week === 0 ? "Week 0" : `+${week}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cohorts.map((cohort) => (
            <tr key={cohort.week}>
              <th scope="row">{shortDayText(cohort.week)}</th>
              <td className="number plain">{full(cohort.users, "count")}</td>
              {columns.map((week) => {
                const value = cohort.shares[week];
                if (value == null) return <td key={week} />;
                const isOver = week === 0 || week < cohort.whole;
                const heat = week === 0 ? 1 : Math.min(1, value / best) * DARKEST;
                return (
                  <td key={week}>
                    <span
                      className={isOver ? "heat-cell" : "heat-cell partial"}
                      style={{ "--heat": isOver ? heat : 0 } as Record<string, number>}
                      data-full={week === 0}
                      title={isOver ? undefined : "So far: this week is not over"}
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
    </section>
  );
}
