import { EVENT_KINDS, type EventKind } from "../../../../src/contract/event-kinds.ts";
import { FUNNEL_GROUPS } from "../../../../src/contract/metric-columns.ts";
import { STEP_LIMITS } from "../../../../src/contract/steps.ts";
import type { ChartFields, ChartSettings, ChartStep } from "../../api/boards.ts";
import { labelOf } from "../../panels/saved-chart.ts";
import { fieldLabel } from "../../state/filters.ts";
import { readStep, type Step, stepParameter } from "../../state/steps.ts";
import { Icon } from "../../ui/icon.tsx";
import { StepConditions } from "../../ui/step-conditions.tsx";
import { StepEditor } from "../../ui/step-editor.tsx";
import { FieldFailure } from "./field-failure.tsx";

interface StepsProps {
  draft: ChartFields;
  failure: unknown;
  onChange: (changes: Partial<ChartFields>) => void;
}

const NEW_STEP: Step = { kind: "track", value: "" };

/** The steps of a funnel. */
export function FunnelFields({ draft, failure, onChange }: StepsProps) {
  const steps = draft.steps ?? [];
  const settings = draft.settings ?? {};
  const put = (next: readonly ChartStep[]) => onChange({ steps: next });
  return (
    <div className="editor-part">
      <h2>Steps</h2>
      <ol className="editor-steps">
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place; two may be equal.
          <li key={index}>
            <span className="step-number">{index + 1}</span>
            <StepField
              label={`Step ${index + 1}`}
              step={step}
              onChange={(changed) => put(steps.map((one, at) => (at === index ? changed : one)))}
            />
            <button
              type="button"
              className="button ghost square"
              aria-label={`Remove step ${index + 1}`}
              disabled={steps.length <= STEP_LIMITS.steps.minimum}
              onClick={() => put(steps.filter((_, at) => at !== index))}
            >
              <Icon name="close" />
            </button>
            <FieldFailure failure={failure} field={`steps.${index}`} />
          </li>
        ))}
      </ol>
      <div className="editor-params">
        <button
          type="button"
          className="button"
          disabled={steps.length >= STEP_LIMITS.steps.maximum}
          onClick={() => put([...steps, stepParameter(NEW_STEP) as unknown as ChartStep])}
        >
          <Icon name="plus" /> Add a step
        </button>
        <Window
          settings={settings}
          onChange={(conversionWindow) => onChange({ settings: { ...settings, conversionWindow } })}
        />
        <label>
          Order
          <select
            value={settings.funnelType ?? "closed"}
            onChange={({ target }) =>
              onChange({ settings: { ...settings, funnelType: target.value === "open" ? "open" : "closed" } })
            }
          >
            <option value="closed">in this order</option>
            <option value="open">in any order</option>
          </select>
        </label>
        <label>
          By
          <select
            value={settings.breakdown ?? ""}
            onChange={({ target }) => onChange({ settings: { ...settings, breakdown: target.value || null } })}
          >
            <option value="">everyone</option>
            {FUNNEL_GROUPS.filter((name) => name !== "channel_type").map((name) => (
              <option key={name} value={name}>
                {fieldLabel(name)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <FieldFailure failure={failure} field="steps" except={steps.map((_, index) => String(index))} />
      <FieldFailure failure={failure} field="settings" except={["segments"]} />
    </div>
  );
}

/** The first step of paths, and possibly the last. */
export function PathFields({ draft, failure, onChange }: StepsProps) {
  const settings = draft.settings ?? {};
  const { startStep, endStep } = settings;
  const older = [startStep, endStep].filter((step): step is ChartStep => step != null);
  const [start = stepParameter(NEW_STEP) as unknown as ChartStep, end] = settings.anchors ?? older;
  const put = (anchors: readonly ChartStep[]) => {
    const { startStep: _, endStep: __, ...others } = settings;
    onChange({ settings: { ...others, anchors } });
  };
  return (
    <div className="editor-part">
      <h2>Paths</h2>
      <div className="editor-anchor">
        <span>Start with</span>
        <StepField label="First step" step={start} onChange={(step) => put(end ? [step, end] : [step])} />
      </div>
      <FieldFailure failure={failure} field="settings.anchors" />
      {end === undefined ? (
        <button
          type="button"
          className="button editor-add"
          onClick={() => put([start, { type: "event", event: "transaction" }])}
        >
          <Icon name="plus" /> End at
        </button>
      ) : (
        <div className="editor-anchor">
          <span>End at</span>
          <StepField label="Last step" step={end} onChange={(step) => put([start, step])} />
          <button type="button" className="button ghost square" aria-label="Any end" onClick={() => put([start])}>
            <Icon name="close" />
          </button>
        </div>
      )}
      <div className="editor-params">
        <label>
          Steps
          <select
            value={settings.maxSteps ?? 3}
            onChange={({ target }) => onChange({ settings: { ...settings, maxSteps: Number(target.value) } })}
          >
            {[2, 3, 4, 5].map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label>
          Boxes of a step
          <select
            value={settings.nodesPerStep ?? 5}
            onChange={({ target }) => onChange({ settings: { ...settings, nodesPerStep: Number(target.value) } })}
          >
            {[2, 3, 4, 5, 6, 7, 8].map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <Window
          settings={settings}
          onChange={(conversionWindow) => onChange({ settings: { ...settings, conversionWindow } })}
        />
      </div>
      <FieldFailure failure={failure} field="settings" except={["anchors"]} />
    </div>
  );
}

const ACTIVITIES = ["page", "connect", "signature", "transaction"] as const satisfies EventKind[];

/** The event that wallets come and come back with. */
export function RetentionFields({ draft, failure, onChange }: StepsProps) {
  const settings = draft.settings ?? {};
  const { entryFilter } = settings;
  const step = entryFilter ? readStep(entryFilter) : undefined;
  const chosen = step === undefined ? "" : step.kind;
  const put = (kind: string) => {
    const one = kind === "" ? null : { type: "event", event: kind };
    onChange({ settings: { ...settings, entryFilter: one, retentionFilter: one } });
  };
  const names: readonly EventKind[] =
    step === undefined || ACTIVITIES.includes(step.kind as (typeof ACTIVITIES)[number])
      ? ACTIVITIES
      : [...ACTIVITIES, step.kind];
  return (
    <div className="editor-part">
      <h2>Who comes back</h2>
      <label>
        Wallets that come, and come back, with
        <select value={chosen} onChange={({ target }) => put(target.value)}>
          <option value="">any event</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {EVENT_KINDS[name].label}
            </option>
          ))}
        </select>
      </label>
      <FieldFailure failure={failure} field="settings" />
    </div>
  );
}

interface StepFieldProps {
  label: string;
  step: ChartStep;
  onChange: (step: ChartStep) => void;
}

/** A step that says more than this page can edit stays as it is, until another one is chosen. */
function StepField({ label, step, onChange }: StepFieldProps) {
  const known = readStep(step);
  const put = (changed: Step) => onChange(stepParameter(changed) as unknown as ChartStep);
  if (known === undefined) {
    return (
      <>
        <span className="grow">{labelOf(step)}, with conditions</span>
        <button type="button" className="button small" onClick={() => put(NEW_STEP)}>
          Choose another
        </button>
      </>
    );
  }
  return (
    <>
      <StepEditor label={label} step={known} onChange={put} />
      <StepConditions label={label} step={known} onChange={(where) => put({ ...known, where })} />
    </>
  );
}

const WINDOWS = ["1 hour", "2 hour", "1 day", "7 day", "14 day", "30 day"] as const;
type Window = NonNullable<ChartSettings["conversionWindow"]>;

function Window({ settings, onChange }: { settings: ChartSettings; onChange: (window: Window) => void }) {
  const { value, unit } = settings.conversionWindow ?? { value: 2, unit: "hour" as const };
  const chosen = `${value} ${unit}`;
  const all: readonly string[] = WINDOWS.some((one) => one === chosen) ? WINDOWS : [...WINDOWS, chosen];
  return (
    <label>
      Within
      <select
        value={chosen}
        onChange={({ target }) => {
          const [count, name] = target.value.split(" ");
          onChange({ value: Number(count), unit: name as Window["unit"] });
        }}
      >
        {all.map((one) => (
          <option key={one} value={one}>
            {one.startsWith("1 ") ? one : `${one}s`}
          </option>
        ))}
      </select>
    </label>
  );
}
