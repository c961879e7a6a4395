import { useState } from "react";
import type { ShortOperator } from "../../../../src/contract/filter-fields.ts";
import { STAGES } from "../../../../src/contract/lifecycle.ts";
import { OPERATORS, takesValue } from "../../state/filters.ts";
import { Icon } from "../../ui/icon.tsx";
import { Popover } from "../../ui/popover.tsx";
import { FIELD_MENU, fieldName, isWhole, LABEL, operatorsOf, takesNumber, type WalletCondition } from "./conditions.ts";

const FIRST: WalletCondition = { field: "revenue", op: "gt", value: "" };

/** The button that adds a condition: field, operator and value. */
export function AddCondition({ onAdd }: { onAdd: (condition: WalletCondition) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Condition"
      align="start"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <button type="button" className="button">
          <Icon name="filter" />
          Condition
        </button>
      }
    >
      <ConditionForm
        onAdd={(condition) => {
          onAdd(condition);
          setOpen(false);
        }}
      />
    </Popover>
  );
}

function ConditionForm({ onAdd }: { onAdd: (condition: WalletCondition) => void }) {
  const [draft, setDraft] = useState(FIRST);
  const change = (changed: Partial<WalletCondition>) => setDraft({ ...draft, ...changed });
  return (
    <form
      className="filter-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole(draft)) onAdd({ ...draft, value: takesValue(draft.op) ? draft.value.trim() : "" });
      }}
    >
      <label>
        Field
        <select
          value={draft.field}
          onChange={({ target: { value: field } }) =>
            setDraft({
              field,
              op: operatorsOf(field)[0] ?? "eq",
              value: field === "lifecycle" ? STAGES[0] : "",
              ...(field === LABEL ? { tag: "" } : {}),
            })
          }
        >
          {FIELD_MENU.map(([group, fields]) => (
            <optgroup key={group} label={group}>
              {fields.map((field) => (
                <option key={field} value={field}>
                  {fieldName(field)}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      {draft.field === LABEL ? (
        <label>
          Name of the label
          <input
            type="text"
            value={draft.tag ?? ""}
            maxLength={128}
            autoComplete="off"
            onChange={({ target }) => change({ tag: target.value })}
          />
        </label>
      ) : null}
      <label>
        Condition
        <select value={draft.op} onChange={({ target }) => change({ op: target.value as ShortOperator })}>
          {operatorsOf(draft.field).map((op) => (
            <option key={op} value={op}>
              {OPERATORS[op]}
            </option>
          ))}
        </select>
      </label>
      {takesValue(draft.op) ? <Value draft={draft} onChange={(value) => change({ value })} /> : null}
      <button type="submit" className="button primary" disabled={!isWhole(draft)}>
        Add condition
      </button>
    </form>
  );
}

function Value({ draft, onChange }: { draft: WalletCondition; onChange: (value: string) => void }) {
  if (draft.field === "lifecycle") {
    return (
      <label>
        Value
        <select value={draft.value} onChange={({ target }) => onChange(target.value)}>
          {STAGES.map((stage) => (
            <option key={stage} value={stage}>
              {stage}
            </option>
          ))}
        </select>
      </label>
    );
  }
  const isMany = draft.op === "in" || draft.op === "nin";
  return (
    <label>
      {isMany ? "Values, with | between them" : "Value"}
      <input
        type="text"
        inputMode={takesNumber(draft) ? "decimal" : "text"}
        value={draft.value}
        placeholder={draft.field === "location" ? "DE" : undefined}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}
