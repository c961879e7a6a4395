import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { reportRequest, useReport } from "../../api/reports.ts";
import { FunnelStrip, SHARES, type ShareOf } from "../../charts/funnel-strip.tsx";
import { duration } from "../../format/numbers.ts";
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
import { useSetSearch, useView } from "../../state/view.ts";
import { BotsLine } from "../../ui/bots-line.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Empty } from "../../ui/states.tsx";
import { StepConditions } from "../../ui/step-conditions.tsx";
import { StepEditor } from "../../ui/step-editor.tsx";
import type { FunnelRow } from "./fold-groups.ts";
import { Groups } from "./groups.tsx";
import { FunnelTrend } from "./trend.tsx";
import "./funnels.css";

const DEFAULT_STEPS = ["page", "connect", "transaction"];
const MOST_STEPS = 10;
const WINDOWS = [3600, 7200, 86_400, 7 * 86_400, 14 * 86_400, 30 * 86_400] as const;
const DEFAULT_WINDOW = 86_400;
const GROUPS = {
  channel: "Channel",
  referrer: "Referrer",
  device: "Device",
  browser: "Browser",
  os: "System",
  location: "Country",
  utm_source: "UTM source",
  utm_campaign: "UTM campaign",
  builder_codes: "Builder code",
} as const;
const GROUP_NAMES = Object.keys(GROUPS) as readonly (keyof typeof GROUPS)[];

const SHARE_NAMES = Object.keys(SHARES) as readonly ShareOf[];
const SHARE_OPTIONS = SHARE_NAMES.map((value) => ({ value, label: `% ${SHARES[value]}` }));

/** How many visitors get from one step to the next. */
export function Funnels() {
  const view = useView();
  const set = useSetSearch();
  const search = useSearch({ strict: false }) as RawSearch;
  const given = texts(search.step).flatMap((one) => parseStep(one) ?? []);
  const named = given.length >= 2 ? given : DEFAULT_STEPS.flatMap((one) => parseStep(one) ?? []);
  const edited = withConditions(named, texts(search.where));
  const [added, setAdded] = useState(false);
  const seconds = WINDOWS.find((one) => String(one) === search.window) ?? DEFAULT_WINDOW;
  const open = search.order === "any";
  const group = oneOf(GROUP_NAMES, search.group);
  const of = oneOf(SHARE_NAMES, search.of) ?? "first";
  // While a step has no name, the last numbers stay, as those of the steps before the change.
  const isNamed = edited.every(isComplete);
  const [counted, setCounted] = useState<readonly Step[]>();
  if (isNamed && JSON.stringify(counted) !== JSON.stringify(edited)) setCounted(edited);
  const steps = isNamed ? edited : (counted ?? edited);
  const complete = isNamed || counted !== undefined;
  const common = {
    ...view.query,
    steps: JSON.stringify(steps.map((step, index) => ({ ...stepParameter(step), name: `${step.kind}::${index}` }))),
    window_seconds: seconds,
    funnel_type: open ? "open" : undefined,
  };
  const request = reportRequest("funnel", common);
  const query = useReport<FunnelRow>(request, complete);
  const rows = query.data?.data ?? [];
  const change = (next: readonly Step[]) => {
    setAdded(next.length > edited.length);
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
          <ol className="funnel-steps">
            {edited.map((step, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place; two may be equal.
              <li key={index}>
                <span className="step-number">{index + 1}</span>
                <StepEditor
                  label={`Step ${index + 1}`}
                  step={step}
                  isNew={added && index === edited.length - 1}
                  onChange={(changed) => change(edited.map((one, at) => (at === index ? changed : one)))}
                />
                <StepConditions
                  label={`Step ${index + 1}`}
                  step={step}
                  onChange={(where) => change(edited.map((one, at) => (at === index ? { ...one, where } : one)))}
                />
                <button
                  type="button"
                  className="button ghost square"
                  aria-label={`Move step ${index + 1} up`}
                  disabled={index === 0}
                  onClick={() => change(moved(edited, index))}
                >
                  <Icon name="up" />
                </button>
                <button
                  type="button"
                  className="button ghost square"
                  aria-label={`Remove step ${index + 1}`}
                  disabled={edited.length <= 2}
                  onClick={() => change(edited.filter((_, at) => at !== index))}
                >
                  <Icon name="close" />
                </button>
              </li>
            ))}
          </ol>
          <div className="funnel-options">
            <button
              type="button"
              className="button"
              disabled={edited.length >= MOST_STEPS}
              onClick={() => change([...edited, { kind: "track", value: "" }])}
            >
              <Icon name="plus" />
              Add a step
            </button>
            <label className="inline">
              Within
              <select
                value={seconds}
                onChange={({ target }) =>
                  set({ window: Number(target.value) === DEFAULT_WINDOW ? undefined : target.value })
                }
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
                {GROUP_NAMES.map((name) => (
                  <option key={name} value={name}>
                    {GROUPS[name]}
                  </option>
                ))}
              </select>
            </label>
          </div>
        </div>
      </section>
      {complete ? (
        <div className={isNamed ? "funnel-answers" : "funnel-answers greyed"}>
          {isNamed ? null : (
            <p className="note" role="status">
              A step has no name yet: these numbers are of the funnel before it. Choose the event of every step.
            </p>
          )}
          <Panel
            title="Funnel"
            head={<h2 className={query.isPlaceholderData ? "stale" : undefined}>{resultTitle(rows)}</h2>}
            className="funnel-result"
            request={request}
            query={query}
            counted="funnel"
            isEmpty={(rows[0]?.users ?? 0) === 0}
            skeleton={<div className="funnel-skeleton" />}
            table={{
              columns: [
                { key: "label", label: "Step" },
                { key: "users", label: "Visitors", format: "count" },
                { key: "conversion_from_previous", label: "Of the step before", format: "percent" },
                { key: "conversion_from_start", label: "Of the first step", format: "percent" },
                { key: "median_seconds_from_previous", label: "Median time", format: "duration" },
                { key: "median_seconds_from_start", label: "Median time from the start", format: "duration" },
              ],
              rows: rows.map((row, index) => ({ ...row, label: labelOf(steps, index) })),
            }}
          >
            <FunnelStrip
              of={of}
              steps={rows.map((row, index) => ({
                label: labelOf(steps, index),
                count: row.users,
                fromPrevious: row.conversion_from_previous,
                fromStart: row.conversion_from_start,
                medianSeconds: row.median_seconds_from_previous,
              }))}
            />
          </Panel>
          {group ? <Groups group={group} label={GROUPS[group]} query={common} steps={steps} of={of} /> : null}
          <FunnelTrend query={common} />
        </div>
      ) : (
        <Empty title="A step has no name yet" icon="funnel">
          Choose the event of every step.
        </Empty>
      )}
    </div>
  );
}

function labelOf(steps: readonly Step[], index: number): string {
  const step = steps[index];
  return step === undefined ? "" : `${index + 1}. ${stepLabel(step)}`;
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
  const share = new Intl.NumberFormat(navigator.language, { style: "percent", maximumFractionDigits: 1 });
  const time =
    last.median_seconds_from_start == null ? "" : `, in ${duration(last.median_seconds_from_start)} (median)`;
  return `${share.format(last.conversion_from_start)} go all the way${time}`;
}
