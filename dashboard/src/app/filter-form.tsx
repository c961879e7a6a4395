import { useEffect, useRef, useState } from "react";
import { FIELD_GROUPS } from "../../../src/contract/filter-fields.ts";
import { hasNames, valueName } from "../format/names.ts";
import { full } from "../format/numbers.ts";
import {
  FIELDS,
  type Filter,
  OPERATORS,
  type Operator,
  operatorsOf,
  propertyField,
  propertyOf,
  takesNumber,
  takesValue,
} from "../state/filters.ts";
import { useIsFinding, useProperties, useValues } from "../state/found-values.ts";
import { Combobox } from "../ui/combobox.tsx";

interface FilterFormProps {
  filter: Filter | undefined;
  onApply: (filter: Filter) => void;
}

/** Field, condition and values of a filter. Loaded when it is opened: it is 4 of the kB of the first screen. */
export function FilterForm({ filter, onApply }: FilterFormProps) {
  const [draft, setDraft] = useState<Filter>(filter ?? { field: "channel", op: "eq", value: "" });
  const first = useRef<HTMLSelectElement>(null);
  // The panel was there before the form, and had nothing to give the focus to.
  useEffect(() => first.current?.focus(), []);
  const properties = useProperties(propertyOf(draft.field));
  const number = takesNumber(draft);
  const isNamed = isExact(draft.op) && hasNames(draft.field);
  // "Germany" is DE only once the names are there.
  const waits = useIsFinding(draft.field, draft.op) && isNamed;
  const valid =
    !takesValue(draft.op) || (draft.value !== "" && !waits && (!number || Number.isFinite(Number(draft.value))));
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
          ref={first}
          value={draft.field}
          onChange={({ target }) =>
            setDraft({ field: target.value, op: operatorsOf(target.value)[0] ?? "eq", value: "" })
          }
        >
          {FIELD_GROUPS.map((group) => (
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
          {properties.length === 0 ? null : (
            <optgroup label="Properties of events">
              {properties.map(({ name, count }) => (
                <option key={name} value={propertyField(name)}>
                  {count === undefined ? name : `${name} (${full(count, "count")})`}
                </option>
              ))}
            </optgroup>
          )}
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
        <Value draft={draft} isNamed={isNamed} isFinding={waits} onChange={(value) => setDraft({ ...draft, value })} />
      ) : null}
      <button type="submit" className="button primary" disabled={!valid}>
        {filter ? "Change filter" : "Add filter"}
      </button>
    </form>
  );
}

/** Operators that compare with whole values: those are shown by the names that people know. */
const isExact = (op: Operator) => op === "eq" || op === "neq" || op === "in" || op === "nin";

interface ValueProps {
  draft: Filter;
  isNamed: boolean;
  isFinding: boolean;
  onChange: (value: string) => void;
}

function Value({ draft, isNamed, isFinding, onChange }: ValueProps) {
  const { field, op, value } = draft;
  const [wanted, setWanted] = useState("");
  const found = useValues(field, op, wanted);
  const several = op === "in" || op === "nin";
  const isWhole = isExact(op);
  const nameOf = (one: string) => (isWhole ? valueName(field, one) : one);
  if (takesNumber(draft))
    return (
      <label>
        Value
        <input
          type="text"
          inputMode="decimal"
          value={value}
          autoComplete="off"
          onChange={({ target }) => onChange(target.value)}
        />
      </label>
    );
  return (
    <Combobox
      // Another field or operator begins with what is chosen already.
      key={`${field} ${several} ${isWhole}`}
      label="Value"
      several={several}
      isNamed={isNamed}
      isFinding={isFinding}
      values={value === "" ? [] : several ? value.split("|") : [value]}
      // Several values are one text in the URL, with this between them.
      options={found
        .filter((one) => !several || !one.value.includes("|"))
        .map((one) => ({ ...one, name: nameOf(one.value) }))}
      nameOf={nameOf}
      onSearch={setWanted}
      onChange={(values) => onChange(values.join("|"))}
    />
  );
}
