/** Whom a report goes to. The secret part of a URL of Slack is hidden, and sending it back keeps it. */
import { useId } from "react";
import { SCHEDULE_LIMITS } from "../../../../src/contract/schedule-limits.ts";
import { Icon } from "../../ui/icon.tsx";
import { newTarget, type Target } from "./draft.ts";

interface RecipientsProps {
  targets: readonly Target[];
  onChange: (targets: readonly Target[]) => void;
}

export function Recipients({ targets, onChange }: RecipientsProps) {
  return (
    <>
      <p className="note">The owner of a new address is asked first, and gets nothing else until they confirm.</p>
      {targets.map((target, at) => (
        <OneTarget
          key={target.key}
          place={at + 1}
          target={target}
          onChange={(to) => onChange(targets.map((one) => (one.key === target.key ? { ...one, ...to } : one)))}
          onRemove={() => onChange(targets.filter(({ key }) => key !== target.key))}
        />
      ))}
      <div>
        <button
          type="button"
          className="button small"
          disabled={targets.length >= SCHEDULE_LIMITS.recipients}
          onClick={() => onChange([...targets, newTarget()])}
        >
          <Icon name="plus" /> Recipient
        </button>
      </div>
    </>
  );
}

interface OneProps {
  place: number;
  target: Target;
  onChange: (to: Partial<Target>) => void;
  onRemove: () => void;
}

function OneTarget({ place, target, onChange, onRemove }: OneProps) {
  const id = useId();
  return (
    <div className="schedule-target">
      <div className="field">
        <label htmlFor={`${id}-type`}>Recipient {place}</label>
        <select
          id={`${id}-type`}
          value={target.type}
          onChange={({ target: { value } }) => onChange({ type: value === "slack" ? "slack" : "email" })}
        >
          <option value="email">E-mail</option>
          <option value="slack">Slack</option>
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-value`}>Address {place}</label>
        <input
          id={`${id}-value`}
          value={target.value}
          maxLength={SCHEDULE_LIMITS.valueChars}
          required
          autoComplete="off"
          spellCheck={false}
          placeholder={target.type === "email" ? "ada@example.com" : "the URL of an incoming webhook of Slack"}
          onChange={({ target: { value } }) => onChange({ value })}
        />
      </div>
      <button type="button" className="button ghost square" aria-label={`Remove recipient ${place}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </div>
  );
}
