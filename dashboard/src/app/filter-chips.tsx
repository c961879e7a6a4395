import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { call } from "../api/client.ts";
import { uniqueKeys } from "../charts/unique-keys.ts";
import { valueName } from "../format/names.ts";
import {
  FIELDS,
  type Filter,
  filterText,
  OPERATORS,
  type Operator,
  operatorsOf,
  takesValue,
} from "../state/filters.ts";
import { useSetFilters, useView } from "../state/view.ts";
import { Icon } from "../ui/icon.tsx";
import { Popover, type TriggerElement } from "../ui/popover.tsx";

/** The filters of the page. A click on a chip changes it. */
export function FilterChips() {
  const { filters } = useView();
  const setFilters = useSetFilters();
  if (filters.length === 0) return null;
  // A link may have the same condition twice.
  const keys = uniqueKeys(filters.map(filterText));
  return (
    <ul className="chips" aria-label="Filters">
      {filters.map((filter, index) => (
        <li key={keys[index]} className="chip">
          <FilterPopover
            filter={filter}
            onApply={(changed) => setFilters(filters.map((known, at) => (at === index ? changed : known)))}
            trigger={
              <button type="button" className="chip-text">
                {filterWords(filter)}
              </button>
            }
          />
          <button
            type="button"
            className="chip-close"
            aria-label={`Remove filter: ${filterWords(filter)}`}
            onClick={() => setFilters(filters.filter((_, at) => at !== index))}
          >
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
      <li>
        <button type="button" className="link-button" onClick={() => setFilters([])}>
          Clear all
        </button>
      </li>
    </ul>
  );
}

function filterWords({ field, op, value }: Filter): string {
  const label = FIELDS[field]?.label ?? field;
  if (!takesValue(op)) return `${label} ${OPERATORS[op]}`;
  const values = op === "in" || op === "nin" ? value.split("|") : [value];
  return `${label} ${OPERATORS[op]} ${values.map((one) => valueName(field, one)).join(", ")}`;
}

/** The button that adds a filter. */
export function AddFilter({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { filters } = useView();
  const setFilters = useSetFilters();
  return (
    <FilterPopover
      open={open}
      onOpenChange={onOpenChange}
      onApply={(filter) => setFilters([...filters, filter])}
      trigger={
        <button type="button" className="button" aria-label="Add a filter">
          <Icon name="filter" />
          <span className="button-text">Filter</span>
        </button>
      }
    />
  );
}

interface FilterPopoverProps {
  filter?: Filter;
  trigger: TriggerElement;
  onApply: (filter: Filter) => void;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}

function FilterPopover({ filter, trigger, onApply, open, onOpenChange }: FilterPopoverProps) {
  const [own, setOwn] = useState(false);
  const shown = open ?? own;
  const setShown = onOpenChange ?? setOwn;
  return (
    <Popover label="Filter" trigger={trigger} open={shown} onOpenChange={setShown} align="start">
      <FilterForm
        filter={filter}
        onApply={(applied) => {
          onApply(applied);
          setShown(false);
        }}
      />
    </Popover>
  );
}

const GROUPS = ["Sources", "Pages", "Onchain", "Places and devices", "Events"] as const;

function FilterForm({ filter, onApply }: { filter: Filter | undefined; onApply: (filter: Filter) => void }) {
  const [draft, setDraft] = useState<Filter>(filter ?? { field: "channel", op: "eq", value: "" });
  const values = useValues(draft.field, draft.op);
  const number = FIELDS[draft.field]?.kind === "number";
  const valid = !takesValue(draft.op) || (draft.value !== "" && (!number || Number.isFinite(Number(draft.value))));
  return (
    <form
      className="filter-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) onApply(draft);
      }}
    >
      <label>
        Field
        <select
          value={draft.field}
          onChange={({ target }) =>
            setDraft({ field: target.value, op: operatorsOf(target.value)[0] ?? "eq", value: "" })
          }
        >
          {GROUPS.map((group) => (
            <optgroup key={group} label={group}>
              {Object.entries(FIELDS)
                .filter(([, info]) => info.group === group)
                .map(([name, info]) => (
                  <option key={name} value={name}>
                    {info.label}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label>
        Condition
        <select value={draft.op} onChange={({ target }) => setDraft({ ...draft, op: target.value as Operator })}>
          {operatorsOf(draft.field).map((op) => (
            <option key={op} value={op}>
              {OPERATORS[op]}
            </option>
          ))}
        </select>
      </label>
      {takesValue(draft.op) ? (
        <ValueField
          field={draft.field}
          number={number}
          several={draft.op === "in" || draft.op === "nin"}
          values={values}
          value={draft.value}
          onChange={(value) => setDraft({ ...draft, value })}
        />
      ) : null}
      <button type="submit" className="button primary" disabled={!valid}>
        {filter ? "Change filter" : "Add filter"}
      </button>
    </form>
  );
}

interface ValueFieldProps {
  field: string;
  number: boolean;
  several: boolean;
  values: readonly string[];
  value: string;
  onChange: (value: string) => void;
}

function ValueField({ field, number, several, values, value, onChange }: ValueFieldProps) {
  const list = useId();
  return (
    <label>
      Value
      <input
        type="text"
        inputMode={number ? "decimal" : "text"}
        value={value}
        list={list}
        autoComplete="off"
        spellCheck={false}
        placeholder={several ? "one|two|three" : ""}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={list}>
        {values.map((known) => (
          <option key={known} value={known}>
            {valueName(field, known)}
          </option>
        ))}
      </datalist>
    </label>
  );
}

/** Values that occur in the period, to choose from. */
function useValues(field: string, op: Operator): readonly string[] {
  const { query } = useView();
  const enabled = FIELDS[field]?.kind === "text" && takesValue(op);
  const { project_id, date_from, date_to, bots } = query;
  const { data } = useQuery({
    queryKey: ["values", field, project_id, date_from, date_to, bots],
    queryFn: ({ signal }) =>
      call<{ data: { value: string }[] }>({
        path: "/v0/distinct_values",
        query: { project_id, date_from, date_to, bots, field, limit: 200 },
        signal,
      }),
    enabled,
    staleTime: 300_000,
    retry: false,
  });
  return data?.data.map(({ value }) => value).filter((value) => value !== "") ?? [];
}
