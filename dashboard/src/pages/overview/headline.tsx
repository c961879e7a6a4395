import { Sparkline } from "../../charts/sparkline.tsx";
import { change, changeText, full, short } from "../../format/numbers.ts";
import { type KpiRow, kpiTotal } from "./kpis.ts";
import { MEASURE_NAMES, MEASURES, type MeasureName } from "./measures.ts";

interface HeadlineProps {
  rows: readonly KpiRow[];
  total: KpiRow | undefined;
  isPending: boolean;
  compares: boolean;
  chosen: MeasureName;
  onChoose: (measure: MeasureName) => void;
}

/** Nine numbers; each is the switch that shows its chart. */
export function Headline({ rows, total, isPending, compares, chosen, onChoose }: HeadlineProps) {
  return (
    <fieldset className="headline">
      <legend className="hidden">Measure of the chart</legend>
      {MEASURE_NAMES.map((name) => {
        const { label, format } = MEASURES[name];
        const value = kpiTotal(rows, total, name);
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
              {compares && !isPending ? (
                <Change name={name} now={value} before={kpiTotal(rows, total, name, "_previous")} />
              ) : null}
            </span>
            {isPending ? (
              <span className="skeleton-row w1" />
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
  const title = `Before: ${full(before, format)}`;
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
