import { axisText, momentText } from "../../format/dates.ts";
import { full } from "../../format/numbers.ts";
import { OUTCOMES, type OutcomeRow } from "../drawings.ts";
import "./outcome-bars.css";

/** More labels collide at 360 px. */
const LABELS = 4;

/** Received events over time, each bar in the parts that became of them. */
export function OutcomeBars({ series }: { series: readonly OutcomeRow[] }) {
  const most = Math.max(1, ...series.map(({ received }) => received));
  const days = spanDays(series);
  const every = Math.max(1, Math.ceil(series.length / LABELS));
  return (
    <figure className="system-chart">
      <span className="system-most">{full(most, "count")}</span>
      <div className="system-bars" role="img" aria-label="Received events over time, by outcome">
        {series.map((step) => (
          <div
            key={step.at}
            className="system-bar"
            title={`${momentText(Date.parse(step.at))}: ${full(step.received, "count")}`}
          >
            {OUTCOMES.map((name) => (
              <span key={name} className={name} style={{ height: `${(step[name] / most) * 100}%` }} />
            ))}
          </div>
        ))}
      </div>
      <div className="system-axis" aria-hidden="true">
        {series.map((step, index) =>
          index % every === 0 ? (
            <span key={step.at} style={{ left: `${(index / series.length) * 100}%` }}>
              {axisText(Date.parse(step.at), "hour", days)}
            </span>
          ) : null,
        )}
      </div>
      <figcaption className="note">Events by {days > 0.5 ? "hour" : "minute"} of their arrival, UTC</figcaption>
    </figure>
  );
}

function spanDays(series: readonly OutcomeRow[]): number {
  const [first, last] = [series[0], series.at(-1)];
  return first && last ? (Date.parse(last.at) - Date.parse(first.at)) / 86_400_000 : 0;
}
