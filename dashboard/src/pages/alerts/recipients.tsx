/** Whom an alert tells. What opens a target is never shown again: a part of it is hidden, and sending it back keeps it. */
import { useId } from "react";
import { ALERT_LIMITS, RECIPIENT_TYPES, type RecipientType } from "../../../../src/contract/alert-limits.ts";
import { Icon } from "../../ui/icon.tsx";
import { type Draft, newKey } from "./draft.ts";

const TYPE_WORDS: Readonly<Record<RecipientType, readonly [name: string, example: string]>> = {
  webhook: ["Webhook", "https://…"],
  slack: ["Slack", "the URL of an incoming webhook of Slack"],
  discord: ["Discord", "the URL of a webhook of Discord"],
  telegram: ["Telegram", "<bot token>/<chat id>"],
  email: ["E-mail", "ada@example.com"],
};

interface RecipientsProps {
  draft: Draft;
  hasSecret: boolean;
  onChange: (to: Partial<Draft>) => void;
}

export function Recipients({ draft, hasSecret, onChange }: RecipientsProps) {
  const { targets } = draft;
  const change = (key: number, to: Partial<(typeof targets)[number]>) =>
    onChange({ targets: targets.map((one) => (one.key === key ? { ...one, ...to } : one)) });
  const isSigned = targets.some(({ type }) => type === "webhook");
  const isRead = targets.some(({ type }) => type !== "webhook");
  return (
    <>
      <p className="note">Every firing is in the bell of this page as well, for everybody who sees the project.</p>
      {targets.map((target, at) => (
        <OneTarget
          key={target.key}
          place={at + 1}
          target={target}
          onChange={(to) => change(target.key, to)}
          onRemove={() => onChange({ targets: targets.filter(({ key }) => key !== target.key) })}
        />
      ))}
      <div className="alert-row">
        <button
          type="button"
          className="button small"
          disabled={targets.length >= ALERT_LIMITS.targets}
          onClick={() => onChange({ targets: [...targets, { key: newKey(), type: "webhook", value: "" }] })}
        >
          <Icon name="plus" /> Recipient
        </button>
      </div>
      {isSigned ? <Secret draft={draft} hasSecret={hasSecret} onChange={onChange} /> : null}
      {isRead && draft.trigger === "event" ? (
        <div className="field">
          <label htmlFor="alert-keys">Properties to show in messages</label>
          <input
            id="alert-keys"
            value={draft.propertyKeys}
            placeholder="amount, currency"
            spellCheck={false}
            onChange={({ target }) => onChange({ propertyKeys: target.value })}
          />
        </div>
      ) : null}
    </>
  );
}

interface OneProps {
  place: number;
  target: Draft["targets"][number];
  onChange: (to: Partial<Draft["targets"][number]>) => void;
  onRemove: () => void;
}

function OneTarget({ place, target, onChange, onRemove }: OneProps) {
  const id = useId();
  return (
    <div className="alert-target">
      <div className="field">
        <label htmlFor={`${id}-type`}>Recipient {place}</label>
        <select
          id={`${id}-type`}
          value={target.type}
          onChange={({ target: { value } }) => onChange({ type: value as RecipientType })}
        >
          {RECIPIENT_TYPES.map((type) => (
            <option key={type} value={type}>
              {TYPE_WORDS[type][0]}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-value`}>Address {place}</label>
        <input
          id={`${id}-value`}
          value={target.value}
          maxLength={ALERT_LIMITS.targetChars}
          required
          autoComplete="off"
          spellCheck={false}
          placeholder={TYPE_WORDS[target.type][1]}
          onChange={({ target: { value } }) => onChange({ value })}
        />
      </div>
      <button type="button" className="button ghost square" aria-label={`Remove recipient ${place}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </div>
  );
}

function Secret({ draft, hasSecret, onChange }: RecipientsProps) {
  return (
    <div className="field">
      <label htmlFor="alert-secret">Secret that signs webhooks</label>
      <input
        id="alert-secret"
        type="password"
        value={draft.secret ?? ""}
        maxLength={ALERT_LIMITS.secretChars}
        autoComplete="new-password"
        placeholder={hasSecret ? "unchanged" : "none"}
        onChange={({ target }) => onChange({ secret: target.value === "" ? undefined : target.value })}
      />
      <small>{hasSecret ? "There is one. It is never shown; a new one takes its place." : "Optional."}</small>
    </div>
  );
}
