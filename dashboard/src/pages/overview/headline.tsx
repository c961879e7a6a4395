import { Sparkline } from "../../charts/sparkline.tsx";
import { change, changeText, full, short } from "../../format/numbers.ts";
import type { KpiRow } from "./kpis.ts";
import { MEASURE_NAMES, MEASURES, type MeasureName } from "./measures.ts";

interface HeadlineProps {
  rows: readonly KpiRow[];
  total: KpiRow | undefined;
  isPending: boolean;
  /** The numbers are still those of another period or filter. */
  isStale: boolean;
  isFailed: boolean;
  /** The whole days of the period with those before; undefined where there is nothing to compare. */
  changes: KpiRow | undefined;
  chosen: MeasureName;
  onChoose: (measure: MeasureName) => void;
}

/** Nine numbers; each is the switch that shows its chart. */
export function Headline({ rows, total, isPending, isStale, isFailed, changes, chosen, onChoose }: HeadlineProps) {
  return (
    <fieldset className={isStale ? "headline stale" : "headline"} aria-busy={isPending || isStale}>
      <legend className="hidden">Measure of the chart</legend>
      {MEASURE_NAMES.map((name) => {
        const { label, format } = MEASURES[name];
        const value = Number(total?.[name] ?? 0);
        return (
          <button
            key={name}
            type="button"
            className="headline-card"
            aria-pressed={name === chosen}
            onClick={() => onChoose(name)}
          >
            <span className="headline-label">
              <span>{label}</span>
              {changes && !isPending ? (
                <Change name={name} now={Number(changes[name])} before={Number(changes[`${name}_previous`])} />
              ) : null}
            </span>
            {isPending ? (
              <span className="skeleton-row w1" />
            ) : isFailed ? (
              <span className="headline-value">–</span>
            ) : (
              <span className="headline-value" title={full(value, format)}>
                {short(value, format)}
              </span>
            )}
            <Sparkline values={rows.map((row) => Number(row[name] ?? 0))} />
          </button>
        );
      })}
    </fieldset>
  );
}

function Change({ name, now, before }: { name: MeasureName; now: number; before: number }) {
  const { format } = MEASURES[name];
  const value = change(now, before);
  const title = `${full(now, format)} on the whole days of the period, ${full(before, format)} before`;
  if (value === undefined) {
    return (
      <span className="change" title={title}>
        new
      </span>
    );
  }
  const worse = "lowerIsBetter" in MEASURES[name] ? value > 0 : value < 0;
  const direction = Math.abs(value) < 0.005 ? "" : worse ? "worse" : "better";
  return (
    <span className={`change ${direction}`} title={title}>
      {changeText(value)}
    </span>
  );
}
