/** The number that is watched, in which window, and when it is not as it should be. */
import { type ReactNode, useId } from "react";
import { INGEST_VALUES, METRIC_LIMITS } from "../../../../src/contract/metric-limits.ts";
import { useSegments } from "../../api/segments.ts";
import { figureText, metricText } from "../../format/alert-words.ts";
import { useView } from "../../state/view.ts";
import type { MetricDraft } from "./draft.ts";

const FIGURES = [
  "visitors",
  "sessions",
  "pageviews",
  "events",
  "wallets",
  "transactions",
  "volume",
  "revenue",
  "bounce_rate",
] as const;

const WINDOWS = [
  [15, "minutes"],
  [1, "hours"],
  [6, "hours"],
  [24, "hours"],
  [1, "days"],
  [7, "days"],
  [28, "days"],
] as const;

const KINDS = [
  ["above", "is above"],
  ["below", "is below"],
  ["changed", "has changed by more than"],
  ["unusual", "is unusual for the time of the week"],
  ["no_data", "has no data"],
] as const;

interface MetricFieldsProps {
  metric: MetricDraft;
  onChange: (metric: MetricDraft) => void;
}

export function MetricFields({ metric, onChange }: MetricFieldsProps) {
  const change = (to: Partial<MetricDraft>) => onChange({ ...metric, ...to });
  if (metric.kept !== undefined)
    return (
      <p className="note">
        {metricText(metric.kept)}. It was made over the API in a way that this form does not have; its name and
        recipients can be changed here.
      </p>
    );
  return (
    <div className="telling-fields alert-metric">
      <Source metric={metric} change={change} />
      <Choice
        label="In the last"
        value={`${metric.window.value} ${metric.window.unit}`}
        options={WINDOWS.map(([value, unit]) => [
          `${value} ${unit}`,
          `${value} ${value === 1 ? unit.slice(0, -1) : unit}`,
        ])}
        onChange={(chosen) => {
          const [value = "1", unit = "hours"] = chosen.split(" ");
          change({ window: { value: Number(value), unit } });
        }}
      />
      <Choice
        label="Tell when it"
        value={metric.kind}
        options={KINDS}
        onChange={(kind) => change({ kind: kind as MetricDraft["kind"] })}
      />
      <Bound metric={metric} change={change} />
      <NumberField
        label="Evaluations in a row"
        value={String(metric.pending)}
        {...{ min: METRIC_LIMITS.pending.minimum, max: METRIC_LIMITS.pending.maximum }}
        onChange={(pending) => change({ pending: Math.max(1, Math.round(Number(pending))) })}
      />
      <NumberField
        label="Minutes of rest after a firing"
        value={String(metric.coolDown)}
        {...{ min: 0, max: METRIC_LIMITS.coolDownMinutes.maximum }}
        onChange={(minutes) => change({ coolDown: Math.max(0, Math.round(Number(minutes))) })}
      />
    </div>
  );
}

interface PartProps {
  metric: MetricDraft;
  change: (to: Partial<MetricDraft>) => void;
}

const SOURCES = [
  ["report", "A number of the overview"],
  ["ingest", "Events that arrive"],
  ["sql", "A statement of SQL"],
] as const;

function Source({ metric, change }: PartProps) {
  const { project } = useView();
  const segments = useSegments(project);
  const id = useId();
  const chooseSource = (of: MetricDraft["of"]) => change({ of, value: of === "ingest" ? "received" : "visitors" });
  const figures = metric.of === "ingest" ? INGEST_VALUES : FIGURES;
  return (
    <>
      <Choice
        label="Watch"
        value={metric.of}
        options={SOURCES}
        onChange={(of) => chooseSource(of as MetricDraft["of"])}
      />
      {metric.of === "sql" ? (
        <div className="field telling-wide">
          <label htmlFor={id}>Statement with one number</label>
          <textarea
            id={id}
            rows={4}
            value={metric.query}
            maxLength={METRIC_LIMITS.queryChars}
            spellCheck={false}
            placeholder={"SELECT count() FROM events WHERE timestamp BETWEEN {{time_from}} AND {{time_to}}"}
            onChange={({ target }) => change({ query: target.value })}
          />
        </div>
      ) : (
        <Choice
          label="Number"
          value={metric.value}
          options={figures.map((name) => [name, figureText(name)])}
          onChange={(value) => change({ value })}
        />
      )}
      {metric.of === "report" && segments.data && segments.data.length > 0 ? (
        <Choice
          label="Of"
          value={metric.segment}
          options={[["", "everybody"], ...segments.data.map(({ id: segment, title }) => [segment, title] as const)]}
          onChange={(segment) => change({ segment })}
        />
      ) : null}
    </>
  );
}

function Bound({ metric, change }: PartProps): ReactNode {
  if (metric.kind === "above" || metric.kind === "below")
    return (
      <NumberField label="Than" value={metric.threshold} onChange={(threshold) => change({ threshold })} step="any" />
    );
  if (metric.kind === "no_data") return null;
  return (
    <>
      {metric.kind === "changed" ? (
        <>
          <NumberField
            label="Percent"
            value={metric.percent}
            {...{ min: 1, max: 100_000 }}
            onChange={(percent) => change({ percent })}
          />
          <Choice
            label="Against"
            value={metric.against}
            options={[
              ["week_before", "the same time a week before"],
              ["period_before", "as long directly before"],
            ]}
            onChange={(against) => change({ against: against as MetricDraft["against"] })}
          />
        </>
      ) : null}
      <Choice
        label="Direction"
        value={metric.direction}
        options={[
          ["any", "up or down"],
          ["up", "up alone"],
          ["down", "down alone"],
        ]}
        onChange={(direction) => change({ direction: direction as MetricDraft["direction"] })}
      />
    </>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, words: string])[];
  onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  const id = useId();
  // A window that was set over the API may be another one.
  const all = options.some(([known]) => known === value) ? options : [...options, [value, value] as const];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {all.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

interface NumberProps {
  label: string;
  value: string;
  min?: number;
  max?: number;
  step?: "any";
  onChange: (value: string) => void;
}

function NumberField({ label, value, min, max, step, onChange }: NumberProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="number"
        value={value}
        required
        {...{ min, max, step }}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}
