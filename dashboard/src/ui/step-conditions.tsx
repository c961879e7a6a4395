import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { call } from "../api/client.ts";
import { full } from "../format/numbers.ts";
import { uniqueKeys } from "../format/unique-keys.ts";
import { type Filter, isNumberOperator, OPERATORS, type Operator, takesValue } from "../state/filters.ts";
import { conditionText, conditionWords, PROPERTY_OPERATORS, type Step } from "../state/steps.ts";
import { useView } from "../state/view.ts";
import { Icon } from "./icon.tsx";
import { Popover } from "./popover.tsx";

interface StepConditionsProps {
  label: string;
  step: Step;
  onChange: (where: readonly Filter[]) => void;
}

/** Conditions on the properties of a step's events, chosen from those that were found in them. */
export function StepConditions({ label, step, onChange }: StepConditionsProps) {
  const [open, setOpen] = useState(false);
  const { where = [] } = step;
  const keys = uniqueKeys(where.map(conditionText));
  return (
    <span className="step-conditions">
      {where.map((condition, index) => (
        <span key={keys[index]} className="chip">
          <span className="chip-text">{conditionWords(condition)}</span>
          <button
            type="button"
            className="chip-close"
            aria-label={`${label}: remove ${conditionWords(condition)}`}
            onClick={() => onChange(where.filter((_, at) => at !== index))}
          >
            <Icon name="close" size={12} />
          </button>
        </span>
      ))}
      <Popover
        label="Property of the event"
        open={open}
        onOpenChange={setOpen}
        align="start"
        trigger={
          <button type="button" className="button ghost square" aria-label={`${label}: add a condition`}>
            <Icon name="filter" />
          </button>
        }
      >
        <ConditionForm
          step={step}
          onApply={(condition) => {
            onChange([...where, condition]);
            setOpen(false);
          }}
        />
      </Popover>
    </span>
  );
}

function ConditionForm({ step, onApply }: { step: Step; onApply: (condition: Filter) => void }) {
  const [draft, setDraft] = useState<Filter>({ field: "", op: "eq", value: "" });
  const [names, values] = [useId(), useId()];
  const properties = useProperties(step);
  const known = usePropertyValues(draft.field);
  const isNumber = isNumberOperator(draft.op);
  const hasValue = draft.value !== "" && (!isNumber || Number.isFinite(Number(draft.value)));
  const valid = draft.field !== "" && (!takesValue(draft.op) || hasValue);
  return (
    <form
      className="filter-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) onApply(draft);
      }}
    >
      <label>
        Property
        <input
          type="text"
          list={names}
          value={draft.field}
          placeholder={properties.isPending ? "Looking for properties…" : "Name of a property"}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => setDraft({ ...draft, field: target.value, value: "" })}
        />
        <datalist id={names}>
          {properties.data?.data.map(({ name, count, example }) => (
            <option key={name} value={name}>
              {`${example === "" ? "" : `${example} · `}${full(count, "count")} events`}
            </option>
          ))}
        </datalist>
      </label>
      <label>
        Condition
        <select value={draft.op} onChange={({ target }) => setDraft({ ...draft, op: target.value as Operator })}>
          {PROPERTY_OPERATORS.map((op) => (
            <option key={op} value={op}>
              {OPERATORS[op]}
            </option>
          ))}
        </select>
      </label>
      {takesValue(draft.op) ? (
        <label>
          Value
          <input
            type="text"
            list={values}
            inputMode={isNumber ? "decimal" : undefined}
            value={draft.value}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => setDraft({ ...draft, value: target.value })}
          />
          <datalist id={values}>
            {known.map((value) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </label>
      ) : null}
      {properties.data?.data.length === 0 ? <p className="note">These events have no properties.</p> : null}
      <button type="submit" className="button primary" disabled={!valid}>
        Apply
      </button>
    </form>
  );
}

interface Properties {
  data: readonly { name: string; count: number; example: string }[];
}

function useProperties({ kind, value }: Step) {
  const { query } = useView();
  const { project_id, date_from, date_to } = query;
  const event = kind === "track" || kind === "decoded_log" ? value : undefined;
  return useQuery({
    queryKey: ["properties", kind, event, project_id, date_from, date_to],
    queryFn: ({ signal }) =>
      call<Properties>({
        path: "/v0/event_properties",
        query: { project_id, date_from, date_to, type: kind, event, limit: 200 },
        signal,
      }),
    staleTime: 300_000,
    retry: false,
  });
}

function usePropertyValues(name: string): readonly string[] {
  const { query } = useView();
  const { project_id, date_from, date_to } = query;
  const { data } = useQuery({
    queryKey: ["values", `properties.${name}`, project_id, date_from, date_to],
    queryFn: ({ signal }) =>
      call<{ data: { value: string }[] }>({
        path: "/v0/distinct_values",
        query: { project_id, date_from, date_to, field: `properties.${name}`, limit: 200 },
        signal,
      }),
    enabled: name !== "",
    staleTime: 300_000,
    retry: false,
  });
  return data?.data.map(({ value }) => value) ?? [];
}
