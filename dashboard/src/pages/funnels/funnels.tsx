import { useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { FILTER_FIELDS, type FieldName } from "../../../../src/contract/filter-fields.ts";
import { STEP_LIMITS } from "../../../../src/contract/steps.ts";
import { SHARES, type ShareOf } from "../../charts/drawings.ts";
import type { FunnelRow } from "../../charts/funnel-row.ts";
import { locale } from "../../format/locale.ts";
import { duration } from "../../format/numbers.ts";
import { ReportPanel } from "../../panels/report-panel.tsx";
import { oneOf, type RawSearch, text, texts } from "../../state/search.ts";
import {
  isComplete,
  parseStep,
  type Step,
  stepLabel,
  stepParameter,
  stepText,
  whereTexts,
  withConditions,
} from "../../state/steps.ts";
import { useSetSearch } from "../../state/view.ts";
import { BotsLine } from "../../ui/bots-line.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Empty } from "../../ui/states.tsx";
import { StepConditions } from "../../ui/step-conditions.tsx";
import { StepEditor } from "../../ui/step-editor.tsx";
import { Groups } from "./groups.tsx";
import { FunnelTrend } from "./trend.tsx";
import "./funnels.css";

const DEFAULT_STEPS = ["page", "connect", "transaction"];
const MOST_STEPS = STEP_LIMITS.steps.maximum;
const WINDOWS = [3600, 7200, 86_400, 7 * 86_400, 14 * 86_400, 30 * 86_400] as const;
const DEFAULT_WINDOW = 86_400;
/** What a funnel can be grouped by here. */
const GROUPS = [
  ...(["channel", "referrer", "device", "browser", "os", "location"] as const),
  ...(["utm_source", "utm_campaign", "builder_codes"] as const),
] satisfies FieldName[];

const SHARE_NAMES = Object.keys(SHARES) as readonly ShareOf[];
const SHARE_OPTIONS = SHARE_NAMES.map((value) => ({ value, label: `% ${SHARES[value]}` }));

/** How many visitors get from one step to the next. */
export function Funnels() {
  const set = useSetSearch();
  const search = useSearch({ strict: false }) as RawSearch;
  const given = texts(search.step).flatMap((one) => parseStep(one) ?? []);
  const named = given.length >= 2 ? given : DEFAULT_STEPS.flatMap((one) => parseStep(one) ?? []);
  const edited = withConditions(named, texts(search.where));
  const [added, setAdded] = useState<number>();
  const choice = readChoice(search);
  const { group, of } = choice;
  // While a step has no name, the last numbers stay, as those of the steps before the change.
  const isNamed = edited.every(isComplete);
  const [counted, setCounted] = useState<readonly Step[]>();
  if (isNamed && JSON.stringify(counted) !== JSON.stringify(edited)) setCounted(edited);
  const steps = isNamed ? edited : (counted ?? edited);
  const complete = isNamed || counted !== undefined;
  const own = parametersOf(steps, choice);
  const change = (next: readonly Step[]) => {
    setAdded(next.length > edited.length ? next.length - 1 : undefined);
    set({ step: next.map(stepText), where: whereTexts(next) });
  };
  return (
    <div className="funnel-page">
      <div className="page-head">
        <div>
          <h1>Funnels</h1>
          <p>How many visitors get from one step to the next, and how long it takes.</p>
        </div>
      </div>
      <BotsLine />
      <section className="panel" aria-label="Steps">
        <div className="panel-body funnel-builder">
          <FunnelSteps steps={edited} added={added} onChange={change} />
          <FunnelOptions choice={choice}>
            <button
              type="button"
              className="button"
              disabled={edited.length >= MOST_STEPS}
              onClick={() => change([...edited, { kind: "track", value: "" }])}
            >
              <Icon name="plus" />
              Add a step
            </button>
          </FunnelOptions>
        </div>
      </section>
      {complete ? (
        <div className={isNamed ? "funnel-answers" : "funnel-answers greyed"}>
          {isNamed ? null : (
            <p className="note" role="status">
              A step has no name yet: these numbers are of the funnel before it. Choose the event of every step.
            </p>
          )}
          <ReportPanel
            spec={{
              type: "funnel",
              report: "funnel",
              params: own,
              title: "Funnel",
              counted: "funnel",
              look: { labels: steps.map((step, index) => `${index + 1}. ${stepLabel(step)}`), of },
            }}
            head={(rows, isOld) => <h2 className={isOld ? "stale" : undefined}>{resultTitle(rows)}</h2>}
            className="funnel-result"
          />
          {group ? (
            <Groups group={group} label={FILTER_FIELDS[group].label} params={own} steps={steps} of={of} />
          ) : null}
          <FunnelTrend params={own} />
        </div>
      ) : (
        <Empty title="A step has no name yet" icon="funnel">
          Choose the event of every step.
        </Empty>
      )}
    </div>
  );
}

interface Choice {
  seconds: (typeof WINDOWS)[number];
  /** In any order. */
  open: boolean;
  group: (typeof GROUPS)[number] | undefined;
  of: ShareOf;
}

/** How the funnel is counted and shown, from the URL. */
function readChoice(search: RawSearch): Choice {
  return {
    seconds: WINDOWS.find((one) => String(one) === search.window) ?? DEFAULT_WINDOW,
    open: search.order === "any",
    group: oneOf(GROUPS, search.group),
    of: oneOf(SHARE_NAMES, search.of) ?? "first",
  };
}

function parametersOf(steps: readonly Step[], { seconds, open }: Choice) {
  return {
    steps: JSON.stringify(steps.map((step, index) => ({ ...stepParameter(step), name: `${step.kind}::${index}` }))),
    window_seconds: seconds,
    ...(open ? { funnel_type: "open" } : {}),
  };
}

interface FunnelStepsProps {
  steps: readonly Step[];
  /** The place of a new one: its name is the next thing to type. */
  added: number | undefined;
  onChange: (steps: readonly Step[]) => void;
}

function FunnelSteps({ steps, added, onChange }: FunnelStepsProps) {
  const replace = (index: number, changed: Step) => onChange(steps.map((one, at) => (at === index ? changed : one)));
  return (
    <ol className="funnel-steps">
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place; two may be equal.
        <li key={index}>
          <span className="step-number">{index + 1}</span>
          <StepEditor
            label={`Step ${index + 1}`}
            step={step}
            isNew={index === added}
            onChange={(changed) => replace(index, changed)}
          />
          <StepConditions
            label={`Step ${index + 1}`}
            step={step}
            onChange={(where) => replace(index, { ...step, where })}
          />
          <button
            type="button"
            className="button ghost square"
            aria-label={`Move step ${index + 1} up`}
            disabled={index === 0}
            onClick={() => onChange(moved(steps, index))}
          >
            <Icon name="up" />
          </button>
          <button
            type="button"
            className="button ghost square"
            aria-label={`Remove step ${index + 1}`}
            disabled={steps.length <= 2}
            onClick={() => onChange(steps.filter((_, at) => at !== index))}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ol>
  );
}

function FunnelOptions({ choice, children }: { choice: Choice; children: ReactNode }) {
  const { seconds, open, group, of } = choice;
  const set = useSetSearch();
  return (
    <div className="funnel-options">
      {children}
      <label className="inline">
        Within
        <select
          value={seconds}
          onChange={({ target }) => set({ window: Number(target.value) === DEFAULT_WINDOW ? undefined : target.value })}
        >
          {WINDOWS.map((one) => (
            <option key={one} value={one}>
              {windowText(one)}
            </option>
          ))}
        </select>
      </label>
      <Segmented
        label="Order of the steps"
        options={[
          { value: "closed", label: "In this order" },
          { value: "any", label: "In any order" },
        ]}
        value={open ? "any" : "closed"}
        onChange={(value) => set({ order: value === "any" ? value : undefined })}
      />
      <Segmented
        label="Shares"
        options={SHARE_OPTIONS}
        value={of}
        onChange={(value) => set({ of: value === "first" ? undefined : value })}
      />
      <label className="inline">
        By
        <select value={group ?? ""} onChange={({ target }) => set({ group: text(target.value) })}>
          <option value="">everyone</option>
          {GROUPS.map((name) => (
            <option key={name} value={name}>
              {FILTER_FIELDS[name].label}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function moved(steps: readonly Step[], index: number): Step[] {
  const next = [...steps];
  next.splice(index - 1, 0, ...next.splice(index, 1));
  return next;
}

function windowText(seconds: number): string {
  if (seconds < 86_400) return seconds === 3600 ? "1 hour" : `${seconds / 3600} hours`;
  return seconds === 86_400 ? "1 day" : `${seconds / 86_400} days`;
}

function resultTitle(rows: readonly FunnelRow[]): string {
  const last = rows.at(-1);
  if (last?.conversion_from_start == null) return "Funnel";
  const share = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  const time =
    last.median_seconds_from_start == null ? "" : `, in ${duration(last.median_seconds_from_start)} (median)`;
  return `${share.format(last.conversion_from_start)} go all the way${time}`;
}
