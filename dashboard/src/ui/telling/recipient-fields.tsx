/** Whom something is sent to: a type and an address each. What opens a target is hidden, and sending it back keeps it. */
import { useId } from "react";
import { Icon } from "../icon.tsx";
import { newTarget, type Target } from "./targets.ts";
import "./telling.css";

export interface RecipientKind<T extends string> {
  readonly type: T;
  readonly name: string;
  readonly example: string;
}

interface RecipientFieldsProps<T extends string> {
  targets: readonly Target<T>[];
  /** The first is that of a new recipient. */
  kinds: readonly [RecipientKind<T>, ...RecipientKind<T>[]];
  limits: { readonly most: number; readonly chars: number };
  onChange: (targets: readonly Target<T>[]) => void;
}

export function RecipientFields<T extends string>({ targets, kinds, limits, onChange }: RecipientFieldsProps<T>) {
  return (
    <>
      {targets.map((target, at) => (
        <OneTarget
          key={target.key}
          place={at + 1}
          {...{ target, kinds, chars: limits.chars }}
          onChange={(to) => onChange(targets.map((one) => (one.key === target.key ? { ...one, ...to } : one)))}
          onRemove={() => onChange(targets.filter(({ key }) => key !== target.key))}
        />
      ))}
      <div>
        <button
          type="button"
          className="button small"
          disabled={targets.length >= limits.most}
          onClick={() => onChange([...targets, newTarget(kinds[0].type)])}
        >
          <Icon name="plus" /> Recipient
        </button>
      </div>
    </>
  );
}

interface OneProps<T extends string> {
  place: number;
  target: Target<T>;
  kinds: readonly RecipientKind<T>[];
  chars: number;
  onChange: (to: Partial<Target<T>>) => void;
  onRemove: () => void;
}

function OneTarget<T extends string>({ place, target, kinds, chars, onChange, onRemove }: OneProps<T>) {
  const id = useId();
  return (
    <div className="telling-target">
      <div className="field">
        <label htmlFor={`${id}-type`}>Recipient {place}</label>
        <select
          id={`${id}-type`}
          value={target.type}
          onChange={({ target: { value } }) => onChange({ type: value as T })}
        >
          {kinds.map(({ type, name }) => (
            <option key={type} value={type}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-value`}>Address {place}</label>
        <input
          id={`${id}-value`}
          value={target.value}
          maxLength={chars}
          required
          autoComplete="off"
          spellCheck={false}
          placeholder={kinds.find(({ type }) => type === target.type)?.example}
          onChange={({ target: { value } }) => onChange({ value })}
        />
      </div>
      <button type="button" className="button ghost square" aria-label={`Remove recipient ${place}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </div>
  );
}
