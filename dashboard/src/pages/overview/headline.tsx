import { useState } from "react";
import type { KpiRow } from "../../charts/kpi-points.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { MEASURE_NAMES, MEASURES, type MeasureName } from "../../format/measures.ts";
import { full, short } from "../../format/numbers.ts";
import { Change } from "../../ui/change.tsx";

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
  // On a phone the chart should be on the first screen: there the first four are shown, and the chosen one.
  const [isOpen, setOpen] = useState(false);
  const className = `headline${isStale ? " stale" : ""}${isOpen ? " open" : ""}`;
  return (
    <fieldset className={className} aria-busy={isPending || isStale}>
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
                <Change
                  now={Number(changes[name])}
                  before={Number(changes[`${name}_previous`])}
                  format={format}
                  lowerIsBetter={"lowerIsBetter" in MEASURES[name]}
                />
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
      <button type="button" className="headline-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Fewer numbers" : "More numbers"}
      </button>
    </fieldset>
  );
}
