import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import {
  draftBody,
  FIELD_TYPES,
  type FieldDraft,
  type FieldType,
  type Form,
  type FormDraft,
  hasOptions,
  isText,
  unwrap,
} from "../../api/forms.ts";
import { useIsInUrl, useSetSearch } from "../../state/view.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useWhileShown } from "../../ui/use-while-shown.ts";
import { Preview } from "./preview.tsx";

/** A field of the list has an identity of its own, so that moving it keeps what is typed and focused. */
interface Entry {
  key: number;
  field: FieldDraft;
}

const EMPTY: FormDraft = {
  title: "",
  description: "",
  fields: [{ label: "Email", type: "email", required: true, help: "", options: [] }],
};

interface BuilderProps {
  form?: Form;
  onTyped?: () => void;
  onSaved?: (saved: Form) => void;
}

/** Makes or changes a form, with a preview of its page beside it. */
export function Builder({ form, onTyped, onSaved }: BuilderProps) {
  const given: FormDraft = form ?? EMPTY;
  const [title, setTitle] = useState(given.title);
  const [description, setDescription] = useState(given.description);
  const [entries, setEntries] = useState<readonly Entry[]>(given.fields.map((field, key) => ({ key, field })));
  const set = useSetSearch();
  const draft = { title, description, fields: entries.map(({ field }) => field) };
  const save = useSave(form, draft, onSaved);
  const typed =
    <T,>(setValue: (value: T) => void) =>
    (value: T) => {
      setValue(value);
      onTyped?.();
    };
  const changeEntries = typed(setEntries);
  const changeTitle = typed(setTitle);
  const changeDescription = typed(setDescription);
  const change = (key: number, patch: Partial<FieldDraft>) =>
    changeEntries(
      entries.map((entry) => (entry.key === key ? { ...entry, field: { ...entry.field, ...patch } } : entry)),
    );
  const move = (index: number, by: number) => {
    const moved = [...entries];
    const [entry] = moved.splice(index, 1);
    if (entry) moved.splice(index + by, 0, entry);
    changeEntries(moved);
  };
  const add = (type: FieldType) => {
    const options = hasOptions(type) ? [{ label: "First choice" }, { label: "Second choice" }] : [];
    const key = Math.max(-1, ...entries.map((entry) => entry.key)) + 1;
    changeEntries([...entries, { key, field: { label: FIELD_TYPES[type], type, required: false, help: "", options } }]);
  };
  return (
    <div className="builder">
      <form
        className="panel builder-form"
        aria-label="The form"
        onSubmit={(event) => {
          event.preventDefault();
          // Until it is saved nothing takes its place, though nothing else was typed.
          onTyped?.();
          save.mutate();
        }}
      >
        {form === undefined ? <h1>New form</h1> : null}
        <label>
          Title
          <input value={title} onChange={(event) => changeTitle(event.target.value)} maxLength={200} required />
        </label>
        <label>
          Description
          <textarea
            value={description}
            onChange={(event) => changeDescription(event.target.value)}
            maxLength={5000}
            rows={2}
          />
        </label>
        <ol className="builder-fields">
          {entries.map(({ key, field }, index) => (
            <li key={key}>
              <FieldEditor
                field={field}
                onChange={(patch) => change(key, patch)}
                onUp={index === 0 ? undefined : () => move(index, -1)}
                onDown={index === entries.length - 1 ? undefined : () => move(index, 1)}
                onRemove={
                  entries.length === 1 ? undefined : () => changeEntries(entries.filter((entry) => entry.key !== key))
                }
              />
            </li>
          ))}
        </ol>
        <AddField onAdd={add} />
        <FormFailure failure={save.error} />
        <div className="builder-actions">
          {form === undefined ? null : <DeleteForm form={form} />}
          <span className="grow" />
          <button type="button" className="button" onClick={() => set({ form: form?.id, tab: undefined })}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={save.isPending}>
            {save.isPending ? "Saving…" : form === undefined ? "Make the form" : "Save"}
          </button>
        </div>
      </form>
      <Preview draft={draft} />
    </div>
  );
}

function useSave(form: Form | undefined, draft: FormDraft, onSaved?: (saved: Form) => void) {
  const set = useSetSearch();
  const show = useWhileShown(({ id }: Form) => set({ form: id, tab: undefined }));
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap<Form>({
        method: form === undefined ? "POST" : "PUT",
        path: form === undefined ? "/api/forms" : `/api/forms/${form.id}`,
        body: draftBody(draft),
      }),
    onSuccess: async (saved) => {
      // A reading that began before would bring the older state.
      await client.cancelQueries({ queryKey: ["form", saved.id] });
      await client.invalidateQueries({ queryKey: ["forms"] });
      show(saved);
      // Before the page knows the newest state: it would announce one's own change as that of somebody else.
      onSaved?.(saved);
      client.setQueryData(["form", saved.id], saved);
    },
  });
}

function AddField({ onAdd }: { onAdd: (type: FieldType) => void }) {
  const [type, setType] = useState<FieldType>("short_text");
  return (
    <div className="builder-add">
      <label className="grow">
        <span className="hidden">Kind of the new field</span>
        <select value={type} onChange={(event) => setType(event.target.value as FieldType)}>
          <TypeOptions />
        </select>
      </label>
      <button type="button" className="button" onClick={() => onAdd(type)}>
        <Icon name="plus" /> Add field
      </button>
    </div>
  );
}

function TypeOptions() {
  return Object.entries(FIELD_TYPES).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

interface FieldEditorProps {
  field: FieldDraft;
  onChange: (patch: Partial<FieldDraft>) => void;
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
  onRemove: (() => void) | undefined;
}

function FieldEditor({ field, onChange, onUp, onDown, onRemove }: FieldEditorProps) {
  const name = field.label || "this field";
  return (
    <fieldset className="builder-field">
      <legend className="hidden">{name}</legend>
      <div className="builder-line">
        <label className="grow">
          {isText(field.type) ? "Text" : "Question"}
          <input value={field.label} onChange={(event) => onChange({ label: event.target.value })} required />
        </label>
        <label className="builder-type">
          Kind
          <select value={field.type} onChange={(event) => onChange({ type: event.target.value as FieldType })}>
            <TypeOptions />
          </select>
        </label>
      </div>
      {isText(field.type) ? null : (
        <div className="builder-line">
          <label className="grow">
            Hint
            <input value={field.help} onChange={(event) => onChange({ help: event.target.value })} maxLength={1000} />
          </label>
          <label className="inline builder-required">
            <input
              type="checkbox"
              checked={field.required}
              onChange={(event) => onChange({ required: event.target.checked })}
            />
            Required
          </label>
        </div>
      )}
      {field.type === "wallet" ? (
        <label className="inline">
          <input
            type="checkbox"
            checked={field.proof === "signature"}
            onChange={(event) => onChange({ proof: event.target.checked ? "signature" : undefined })}
          />
          The wallet must sign: nobody can enter the address of somebody else
        </label>
      ) : null}
      {hasOptions(field.type) ? <OptionsEditor field={field} onChange={onChange} /> : null}
      <div className="builder-tools">
        <ToolButton icon="up" label={`Move ${name} up`} onClick={onUp} />
        <ToolButton icon="down" label={`Move ${name} down`} onClick={onDown} />
        <ToolButton icon="trash" label={`Remove ${name}`} onClick={onRemove} />
      </div>
    </fieldset>
  );
}

function ToolButton(props: { icon: "up" | "down" | "trash"; label: string; onClick: (() => void) | undefined }) {
  return (
    <button
      type="button"
      className="button ghost square"
      aria-label={props.label}
      disabled={props.onClick === undefined}
      onClick={props.onClick}
    >
      <Icon name={props.icon} />
    </button>
  );
}

/** One choice a line. A line keeps its stored value while its text stays the same. */
function OptionsEditor({ field, onChange }: Pick<FieldEditorProps, "field" | "onChange">) {
  const hint = useId();
  const [lines, setLines] = useState(field.options.map(({ label }) => label).join("\n"));
  return (
    <label>
      Choices
      <textarea
        rows={Math.max(3, Math.min(8, field.options.length + 1))}
        value={lines}
        aria-describedby={hint}
        required
        onChange={(event) => {
          setLines(event.target.value);
          const labels = event.target.value.split("\n").map((line) => line.trim());
          const options = labels
            .filter((label) => label !== "")
            .map((label) => field.options.find((known) => known.label === label) ?? { label });
          onChange({ options });
        }}
      />
      <small id={hint}>One a line.</small>
    </label>
  );
}

function DeleteForm({ form }: { form: Form }) {
  const [asked, setAsked] = useState(false);
  const set = useSetSearch();
  const isInUrl = useIsInUrl();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => unwrap({ method: "DELETE", path: `/api/forms/${form.id}` }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["forms"] });
      if (isInUrl("form", form.id)) set({ form: undefined, tab: undefined });
    },
  });
  return (
    <>
      <button type="button" className="button danger" onClick={() => setAsked(true)}>
        Delete form
      </button>
      {asked ? (
        <Dialog title={`Delete “${form.title}”?`} onClose={() => setAsked(false)}>
          <p>
            Its page answers with “not found” from then on, and its webhooks end. Submissions can no longer be read.
          </p>
          <FormFailure failure={remove.error} />
          <div className="dialog-actions">
            <button type="button" className="button" onClick={() => setAsked(false)}>
              Keep it
            </button>
            <button type="button" className="button danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
              Delete it
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}
