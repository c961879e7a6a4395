import { useState } from "react";
import type { TriggerType } from "../../../../src/contract/alerts.ts";
import { type Alert, type AlertDraft, useAlertWrite } from "../../api/alerts.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { Segmented } from "../../ui/segmented.tsx";
import { EditorFrame, EditorPart } from "../../ui/telling/editor-frame.tsx";
import { newKey } from "../../ui/telling/targets.ts";
import { Conditions } from "./conditions.tsx";
import { type Draft, draftOf, savedOf } from "./draft.ts";
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
  const choose = (trigger: TriggerType) => {
    const field = FIRST_FIELD[trigger] ?? "event";
    const op = trigger === "user" ? "gte" : "equals";
    change({ trigger, filters: [{ key: newKey(), field, op, value: "" }] });
  };
  return (
    <EditorFrame
      title={alert === undefined ? "New alert" : `Edit ${alert.name}`}
      about="It looks at what arrives from now on."
      submit={alert === undefined ? "Make the alert" : "Save"}
      save={save}
      onSave={() => save.mutate(savedOf(draft))}
      onClose={onClose}
    >
      <EditorPart title="What it looks for">
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
      </EditorPart>
      <WouldHaveFired draft={draft} />
      <EditorPart title="Whom it tells">
        <Recipients draft={draft} hasSecret={alert?.has_secret ?? false} onChange={change} />
      </EditorPart>
    </EditorFrame>
  );
}

/** Its type is one for ever. */
function withoutTrigger({ trigger_type, trigger_filters, ...rest }: AlertDraft): object {
  return trigger_type === "metric" ? rest : { ...rest, trigger_filters };
}
