import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { EVENT_KINDS } from "../../../src/contract/event-kinds.ts";
import { call } from "../api/client.ts";
import { STEP_KIND_NAMES, STEP_KINDS, type Step, type StepKind } from "../state/steps.ts";
import { useView } from "../state/view.ts";

interface StepEditorProps {
  label: string;
  step: Step;
  /** Just added: its list of names opens. */
  isNew?: boolean;
  onChange: (step: Step) => void;
}

/** Chooses what happened: the kind of event, and its name or path from those that occur. */
export function StepEditor({ label, step, isNew = false, onChange }: StepEditorProps) {
  const list = useId();
  const { field, value: hint } = STEP_KINDS[step.kind];
  const values = useStepValues(field);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNew && step.value === "") openNames(input.current);
  }, [isNew, step.value]);
  // The field keeps its own text while somebody types, and not that of a step which was removed or moved.
  const [typed, setTyped] = useState({ step, text: step.value });
  if (typed.step.kind !== step.kind || typed.step.value !== step.value) setTyped({ step, text: step.value });
  // Also when the names come after it was typed.
  const known = typed.text !== step.value && values.includes(typed.text) ? typed.text : undefined;
  // Before the next key, whose text it would otherwise take.
  useLayoutEffect(() => {
    if (known !== undefined) onChange({ ...step, value: known });
  }, [known, onChange, step]);
  return (
    <div className="step-editor">
      <label>
        <span className="hidden">{label}: kind</span>
        <select value={step.kind} onChange={({ target }) => onChange({ kind: target.value as StepKind, value: "" })}>
          {STEP_KIND_NAMES.map((kind) => (
            <option key={kind} value={kind}>
              {EVENT_KINDS[kind].label}
            </option>
          ))}
        </select>
      </label>
      {hint === undefined ? null : (
        <label className="grow">
          <span className="hidden">
            {label}: {hint}
          </span>
          <input
            ref={input}
            type="text"
            list={list}
            value={typed.text}
            placeholder={hint}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => setTyped({ ...typed, text: target.value })}
            onBlur={({ target }) => {
              if (target.value.trim() !== step.value) onChange({ ...step, value: target.value.trim() });
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter") event.currentTarget.blur();
            }}
          />
          <datalist id={list}>
            {values.map((value) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </label>
      )}
    </div>
  );
}

/** Browsers that cannot open a list show it with the first key. */
function openNames(input: HTMLInputElement | null): void {
  input?.focus();
  try {
    input?.showPicker();
  } catch {
    // The click is too long ago, or the browser has no such list.
  }
}

function useStepValues(field: string | undefined): readonly string[] {
  const { query } = useView();
  const { project_id, date_from, date_to, bots, segment } = query;
  const { data } = useQuery({
    queryKey: ["values", field, project_id, date_from, date_to, bots, segment],
    queryFn: ({ signal }) =>
      call<{ data: { value: string }[] }>({
        path: "/v0/distinct_values",
        query: { project_id, date_from, date_to, bots, segment, field, limit: 200 },
        signal,
      }),
    enabled: field !== undefined,
    staleTime: 300_000,
    retry: false,
  });
  return data?.data.map(({ value }) => value).filter((value) => value !== "") ?? [];
}
