import { useSearch } from "@tanstack/react-router";
import { reportRequest, useReport } from "../../api/reports.ts";
import { oneOf, type RawSearch, text } from "../../state/search.ts";
import { isComplete, parseStep, type Step, stepLabel, stepText } from "../../state/steps.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Empty } from "../../ui/states.tsx";
import { StepEditor } from "../../ui/step-editor.tsx";
import { FlowChart } from "./flow-chart.tsx";
import { type FlowRow, nodeStep } from "./flow-data.ts";
import "./flows.css";

const DEPTHS = ["2", "3", "4", "5", "6"] as const;
const WINDOWS = { "3600": "1 hour", "7200": "2 hours", "86400": "1 day", "604800": "7 days" } as const;
const WINDOW_NAMES = Object.keys(WINDOWS) as readonly (keyof typeof WINDOWS)[];

/** More boxes in one column cannot be told apart. */
const SHOWN_NODES = 7;

/** What visitors do next. */
export function Flows() {
  const view = useView();
  const set = useSetSearch();
  const search = useSearch({ strict: false }) as RawSearch;
  const start: Step = parseStep(text(search.start) ?? "page") ?? { kind: "page", value: "" };
  const depth = oneOf(DEPTHS, search.depth) ?? "4";
  const seconds = oneOf(WINDOW_NAMES, search.window) ?? "7200";
  const request = reportRequest("flow", {
    ...view.query,
    start_step: JSON.stringify(startParameter(start)),
    max_steps: depth,
    nodes_per_step: SHOWN_NODES,
    window_seconds: seconds,
  });
  const query = useReport<FlowRow>(request, isComplete(start));
  const rows = query.data?.data ?? [];
  return (
    <div className="flows-page">
      <div className="page-head">
        <div>
          <h1>Flows</h1>
          <p>What visitors do after a step. Click a box to start from it.</p>
        </div>
      </div>
      <section className="panel" aria-label="Start">
        <div className="panel-body flow-options">
          <span>Start with</span>
          <StepEditor label="First step" step={start} onChange={(step) => set({ start: stepText(step) })} />
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
          {search.start === undefined ? null : (
            <button type="button" className="button" onClick={() => history.back()}>
              <Icon name="back" />
              Back
            </button>
          )}
        </div>
      </section>
      {isComplete(start) ? (
        <Panel
          title={`After ${stepLabel(start)}`}
          request={request}
          query={query}
          counted="flow"
          isEmpty={rows.length === 0}
          skeleton={<div className="flow-skeleton" />}
          table={{
            columns: [
              { key: "step", label: "Step", format: "count" },
              { key: "source", label: "From" },
              { key: "target", label: "To" },
              { key: "transitions", label: "Visitors", format: "count" },
              { key: "percentage", label: "% of the step" },
            ],
            rows,
          }}
        >
          <FlowChart
            rows={rows}
            onNode={(name) => {
              const next = nodeStep(name);
              if (next) set({ start: stepText(next) });
            }}
          />
        </Panel>
      ) : (
        <Empty title="The first step has no name yet" icon="flow">
          Choose the event that flows start with.
        </Empty>
      )}
    </div>
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
