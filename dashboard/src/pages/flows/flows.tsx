import { useSearch } from "@tanstack/react-router";
import {
  nodeLabel,
  parseThrough,
  type Through,
  throughParameter,
  throughTexts,
  toggleThrough,
} from "../../charts/flow-data.ts";
import { ReportPanel } from "../../panels/report-panel.tsx";
import { oneOf, type RawSearch, text, texts } from "../../state/search.ts";
import { isComplete, parseStep, type Step, stepLabel, stepText } from "../../state/steps.ts";
import { useSetSearch } from "../../state/view.ts";
import { BotsLine } from "../../ui/bots-line.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty } from "../../ui/states.tsx";
import { StepEditor } from "../../ui/step-editor.tsx";
import "./flows.css";

const DEPTHS = ["2", "3", "4", "5", "6"] as const;
const WINDOWS = { "3600": "1 hour", "7200": "2 hours", "86400": "1 day", "604800": "7 days" } as const;
const WINDOW_NAMES = Object.keys(WINDOWS) as readonly (keyof typeof WINDOWS)[];

/** More boxes in one column cannot be told apart. */
const SHOWN_NODES = 7;

/** The most that the report follows. */
const MOST_STEPS = 10;
const STEPS_AFTER = 2;

/** What visitors do next. */
export function Flows() {
  const set = useSetSearch();
  const search = useSearch({ strict: false }) as RawSearch;
  const start: Step = parseStep(text(search.start) ?? "page") ?? { kind: "page", value: "" };
  const end = parseStep(text(search.end) ?? "");
  const depth = oneOf(DEPTHS, search.depth) ?? "4";
  const through = parseThrough(texts(search.at));
  const last = Math.max(0, ...through.keys());
  const seconds = oneOf(WINDOW_NAMES, search.window) ?? "7200";
  const params = {
    start_step: JSON.stringify(startParameter(start)),
    end_step: end && isComplete(end) ? JSON.stringify(startParameter(end)) : undefined,
    include_exits: end === undefined ? true : undefined,
    through: throughParameter(through),
    // From a chosen box the path goes on.
    max_steps: Math.min(MOST_STEPS, Math.max(Number(depth), last + STEPS_AFTER)),
    nodes_per_step: SHOWN_NODES,
    window_seconds: seconds,
  };
  const complete = isComplete(start) && (end === undefined || isComplete(end));
  return (
    <div className="flows-page">
      <div className="page-head">
        <div>
          <h1>Flows</h1>
          <p>
            What visitors do after a step, where they leave, and what leads to another. Click a box to follow the paths
            through it.
          </p>
        </div>
      </div>
      <BotsLine />
      <section className="panel" aria-label="Start">
        <FlowOptions start={start} end={end} depth={depth} seconds={seconds} />
        {through.size > 0 ? (
          <ThroughChips through={through} onChange={(next) => set({ at: throughTexts(next) })} />
        ) : null}
      </section>
      {complete ? (
        <ReportPanel<"flow">
          spec={{
            type: "flow",
            report: "flow",
            params,
            title: end ? `From ${stepLabel(start)} to ${stepLabel(end)}` : `After ${stepLabel(start)}`,
            counted: "flow",
            look: {},
          }}
          empty={(rows) =>
            rows.length === 0 ? undefined : (
              <Empty title="Nobody does anything more" icon="flow">
                All visitors leave after the first step.
              </Empty>
            )
          }
          withDrawing={(drawing) => ({
            ...drawing,
            through,
            onNode: (node) => set({ at: throughTexts(toggleThrough(through, node)) }),
          })}
        />
      ) : (
        <Empty title="A step has no name yet" icon="flow">
          Choose the event that flows start with, or end at.
        </Empty>
      )}
    </div>
  );
}

interface FlowOptionsProps {
  start: Step;
  end: Step | undefined;
  depth: (typeof DEPTHS)[number];
  seconds: (typeof WINDOW_NAMES)[number];
}

function FlowOptions({ start, end, depth, seconds }: FlowOptionsProps) {
  const set = useSetSearch();
  return (
    <div className="panel-body flow-options">
      <span>Start with</span>
      <StepEditor label="First step" step={start} onChange={(step) => set({ start: stepText(step), at: undefined })} />
      {end === undefined ? (
        <button type="button" className="button" onClick={() => set({ end: "transaction", at: undefined })}>
          <Icon name="plus" />
          End at
        </button>
      ) : (
        <>
          <span>End at</span>
          <StepEditor label="Last step" step={end} onChange={(step) => set({ end: stepText(step), at: undefined })} />
          <button
            type="button"
            className="button ghost square"
            aria-label="Any end"
            onClick={() => set({ end: undefined, at: undefined })}
          >
            <Icon name="close" />
          </button>
        </>
      )}
      <label className="inline">
        Steps
        <select value={depth} onChange={({ target }) => set({ depth: target.value })}>
          {DEPTHS.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      <label className="inline">
        Within
        <select value={seconds} onChange={({ target }) => set({ window: target.value })}>
          {WINDOW_NAMES.map((one) => (
            <option key={one} value={one}>
              {WINDOWS[one]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** The chosen boxes, in the order of the path. */
function ThroughChips({ through, onChange }: { through: Through; onChange: (through: Through) => void }) {
  const without = (place: number) => new Map([...through].filter(([other]) => other !== place));
  const ordered = [...through].sort(([one], [other]) => one - other);
  return (
    <ul className="chips flow-path" aria-label="Path">
      {ordered.map(([place, name]) => (
        <li key={place} className="chip">
          <span className="chip-text">
            {place + 1}. {nodeLabel(name)}
          </span>
          <button
            type="button"
            className="chip-close"
            aria-label={`Any step in the place of ${nodeLabel(name)}`}
            onClick={() => onChange(without(place))}
          >
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
      <li>
        <button type="button" className="link-button" onClick={() => onChange(new Map())}>
          All paths
        </button>
      </li>
    </ul>
  );
}

/** The hosted service's form of a first step. */
function startParameter({ kind, value }: Step): Record<string, string> {
  switch (kind) {
    case "page":
      return { type: "event", event: "page", resolved_event: value === "" ? "__ALL_PAGE_VIEWS__" : value };
    case "track":
    case "decoded_log":
      return { type: kind, event: value, resolved_event: value };
    case "signature":
    case "transaction":
      return { type: kind, event: kind, resolved_event: kind };
    case "connect":
    case "chain":
    case "identify":
      return { type: "event", event: kind, resolved_event: kind };
  }
}
