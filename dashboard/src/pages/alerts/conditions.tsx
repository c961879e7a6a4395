/** The conditions of an alert on events or wallets: all of them have to be met. */
import { useId } from "react";
import { EVENT_ALERT_FIELDS, USER_NUMBER_FIELDS, USER_TEXT_FIELDS } from "../../../../src/contract/alert-fields.ts";
import { ALERT_LIMITS } from "../../../../src/contract/alert-limits.ts";
import type { AlertFilter } from "../../api/alerts.ts";
import { fieldText, isNumberField, OPERATOR_WORDS } from "../../format/alert-words.ts";
import { Icon } from "../../ui/icon.tsx";
import { newKey } from "../../ui/telling/targets.ts";
import { type Draft, operatorsOf } from "./draft.ts";

interface ConditionsProps {
  draft: Draft;
  onChange: (to: Partial<Draft>) => void;
}

export function Conditions({ draft, onChange }: ConditionsProps) {
  const { trigger, filters } = draft;
  const change = (key: number, to: Partial<AlertFilter>) =>
    onChange({ filters: filters.map((one) => (one.key === key ? { ...one, ...to } : one)) });
  return (
    <fieldset className="alert-conditions">
      <legend>{trigger === "event" ? "Events that meet all of this" : "Wallets that meet all of this"}</legend>
      {filters.length === 0 ? (
        <p className="note">No condition: it tells of every {trigger === "event" ? "event" : "wallet"}.</p>
      ) : null}
      {filters.map((filter, at) => (
        <div className="alert-condition" key={filter.key}>
          <OneCondition place={at + 1} trigger={trigger} filter={filter} onChange={(to) => change(filter.key, to)} />
          <button
            type="button"
            className="button ghost square"
            aria-label={`Remove condition ${at + 1}`}
            onClick={() => onChange({ filters: filters.filter(({ key }) => key !== filter.key) })}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <div className="alert-row">
        <button
          type="button"
          className="button small"
          disabled={filters.length >= ALERT_LIMITS.filters}
          onClick={() => {
            const field = trigger === "event" ? "type" : "location";
            onChange({ filters: [...filters, { key: newKey(), field, op: "equals", value: "" }] });
          }}
        >
          <Icon name="plus" /> Condition
        </button>
        <label className="inline">
          <input
            type="checkbox"
            checked={draft.includeImported}
            onChange={({ target }) => onChange({ includeImported: target.checked })}
          />
          Imported history, too
        </label>
      </div>
    </fieldset>
  );
}

interface OneProps {
  place: number;
  trigger: Draft["trigger"];
  filter: AlertFilter;
  onChange: (to: Partial<AlertFilter>) => void;
}

function OneCondition({ place, trigger, filter, onChange }: OneProps) {
  const id = useId();
  const fields = trigger === "event" ? EVENT_ALERT_FIELDS : [...USER_NUMBER_FIELDS, ...USER_TEXT_FIELDS];
  const operators = operatorsOf(trigger, filter.field);
  const chooseField = (field: string) => {
    const allowed = operatorsOf(trigger, field);
    onChange({ field, op: allowed.includes(filter.op) ? filter.op : (allowed[0] ?? "equals") });
  };
  return (
    <>
      <div className="field">
        <label htmlFor={`${id}-field`}>Field {place}</label>
        <select id={`${id}-field`} value={filter.field} onChange={({ target }) => chooseField(target.value)}>
          {fields.map((field) => (
            <option key={field} value={field}>
              {fieldText(field)}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-op`}>Comparison {place}</label>
        <select id={`${id}-op`} value={filter.op} onChange={({ target }) => onChange({ op: target.value })}>
          {operators.map((op) => (
            <option key={op} value={op}>
              {OPERATOR_WORDS[op] ?? op}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-value`}>Value {place}</label>
        <input
          id={`${id}-value`}
          value={filter.value}
          maxLength={ALERT_LIMITS.valueChars}
          inputMode={isNumberField(trigger, filter.field) ? "decimal" : "text"}
          spellCheck={false}
          onChange={({ target }) => onChange({ value: target.value })}
        />
      </div>
    </>
  );
}
