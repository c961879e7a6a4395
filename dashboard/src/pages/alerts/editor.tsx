import { type FormEvent, useState } from "react";
import type { TriggerType } from "../../../../src/contract/alerts.ts";
import { type Alert, type AlertDraft, useAlertWrite } from "../../api/alerts.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Conditions } from "./conditions.tsx";
import { type Draft, draftOf, newKey, savedOf } from "./draft.ts";
import { MetricFields } from "./metric-fields.tsx";
import { WouldHaveFired } from "./preview.tsx";
import { Recipients } from "./recipients.tsx";

const TRIGGERS = [
  { value: "event", label: "An event" },
  { value: "user", label: "A wallet" },
  { value: "metric", label: "A number" },
] as const;

const FIRST_FIELD: Readonly<Record<string, string>> = { event: "event", user: "revenue" };

/** Makes or changes an alert, with what it would have done before anybody is told. */
export function Editor({ alert, onClose }: { alert: Alert | undefined; onClose: () => void }) {
  const { project } = useView();
  const set = useSetSearch();
  const [draft, setDraft] = useState(() => draftOf(alert));
  const change = (to: Partial<Draft>) => setDraft({ ...draft, ...to });
  const save = useAlertWrite<Alert, AlertDraft>(
    (body) =>
      alert === undefined
        ? { method: "POST", path: "/v0/alerts", body: { ...body, project_id: project } }
        : { method: "PATCH", path: `/v0/alerts/${alert.id}`, body: withoutTrigger(body) },
    ({ id }) => set({ edit: undefined, alert: id }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(savedOf(draft));
  };
  const choose = (trigger: TriggerType) => {
    const field = FIRST_FIELD[trigger] ?? "event";
    const op = trigger === "user" ? "gte" : "equals";
    change({ trigger, filters: [{ key: newKey(), field, op, value: "" }] });
  };
  return (
    <form className="alerts alert-editor" onSubmit={submit}>
      <header className="page-head">
        <div>
          <h1>{alert === undefined ? "New alert" : `Edit ${alert.name}`}</h1>
          <p>It looks at what arrives from now on.</p>
        </div>
        <button type="button" className="button" onClick={onClose}>
          <Icon name="back" /> Back
        </button>
      </header>
      <section className="panel alert-part" aria-label="What it looks for">
        <h2>What it looks for</h2>
        <div className="field">
          <label htmlFor="alert-name">Name</label>
          <input
            id="alert-name"
            value={draft.name}
            maxLength={200}
            required
            placeholder="Large purchase"
            onChange={({ target }) => change({ name: target.value })}
          />
        </div>
        {alert === undefined ? (
          <Segmented label="It tells of" options={TRIGGERS} value={draft.trigger} onChange={choose} />
        ) : null}
        {draft.trigger === "metric" ? (
          <MetricFields metric={draft.metric} onChange={(metric) => change({ metric })} />
        ) : (
          <Conditions draft={draft} onChange={change} />
        )}
      </section>
      <WouldHaveFired draft={draft} />
      <section className="panel alert-part" aria-label="Whom it tells">
        <h2>Whom it tells</h2>
        <Recipients draft={draft} hasSecret={alert?.has_secret ?? false} onChange={change} />
      </section>
      <FormFailure failure={save.error} />
      <div className="alert-save">
        <button type="submit" className="button primary" disabled={save.isPending}>
          {alert === undefined ? "Make the alert" : "Save"}
        </button>
      </div>
    </form>
  );
}

/** Its type is one for ever. */
function withoutTrigger({ trigger_type, trigger_filters, ...rest }: AlertDraft): object {
  return trigger_type === "metric" ? rest : { ...rest, trigger_filters };
}
