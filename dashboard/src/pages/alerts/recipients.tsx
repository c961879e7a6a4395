/** Whom an alert tells. */
import { ALERT_LIMITS, RECIPIENT_TYPES, type RecipientType } from "../../../../src/contract/alert-limits.ts";
import { RecipientFields, type RecipientKind } from "../../ui/telling/recipient-fields.tsx";
import type { Draft } from "./draft.ts";

const WORDS: Readonly<Record<RecipientType, { readonly name: string; readonly example: string }>> = {
  webhook: { name: "Webhook", example: "https://…" },
  slack: { name: "Slack", example: "the URL of an incoming webhook of Slack" },
  discord: { name: "Discord", example: "the URL of a webhook of Discord" },
  telegram: { name: "Telegram", example: "<bot token>/<chat id>" },
  email: { name: "E-mail", example: "ada@example.com" },
};
const [FIRST, ...OTHERS] = RECIPIENT_TYPES;
const kindOf = (type: RecipientType): RecipientKind<RecipientType> => ({ type, ...WORDS[type] });
const KINDS = [kindOf(FIRST), ...OTHERS.map(kindOf)] as const;
const LIMITS = { most: ALERT_LIMITS.targets, chars: ALERT_LIMITS.targetChars };

interface RecipientsProps {
  draft: Draft;
  hasSecret: boolean;
  onChange: (to: Partial<Draft>) => void;
}

export function Recipients({ draft, hasSecret, onChange }: RecipientsProps) {
  const { targets } = draft;
  const isSigned = targets.some(({ type }) => type === "webhook");
  const isRead = targets.some(({ type }) => type !== "webhook");
  return (
    <>
      <p className="note">Every firing is in the bell of this page as well, for everybody who sees the project.</p>
      <RecipientFields targets={targets} kinds={KINDS} limits={LIMITS} onChange={(to) => onChange({ targets: to })} />
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
