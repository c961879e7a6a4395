import { type FieldDraft, type FieldType, type FormDraft, isText } from "../../api/forms.ts";

/** How the page of the form will look; nothing can be typed into it. */
export function Preview({ draft }: { draft: FormDraft }) {
  return (
    <section className="panel preview" aria-label="Preview">
      <h2 className="preview-label">Preview</h2>
      <div className="preview-page" inert>
        <p className="preview-title">{draft.title || "Untitled form"}</p>
        {draft.description ? <p className="preview-text">{draft.description}</p> : null}
        {draft.fields.map((field, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a picture of the list, drawn anew with every change.
          <PreviewField key={index} field={field} />
        ))}
        <span className="button primary large">Send</span>
      </div>
    </section>
  );
}

function PreviewField({ field }: { field: FieldDraft }) {
  if (isText(field.type)) {
    return <p className={field.type === "heading" ? "preview-heading" : "preview-text"}>{field.label}</p>;
  }
  return (
    <div className="preview-field">
      <span className="preview-question">
        {field.label}
        {field.required ? <span className="preview-required"> *</span> : null}
      </span>
      {field.help ? <span className="note">{field.help}</span> : null}
      <Control field={field} />
    </div>
  );
}

const MARKS: Partial<Record<FieldType, string>> = { radio: "round", checkbox_group: "square", checkbox: "square" };

function Control({ field: { type, options, label, proof } }: { field: FieldDraft }) {
  const mark = MARKS[type];
  if (type === "checkbox") return <PreviewChoice mark="square" label={label} />;
  if (mark !== undefined) {
    // biome-ignore lint/suspicious/noArrayIndexKey: two options may have the same text while they are written.
    return options.map((option, index) => <PreviewChoice key={index} mark={mark} {...option} />);
  }
  if (type === "wallet" && proof) return <span className="preview-input">Sign with your wallet</span>;
  if (type === "rating") return <span className="preview-stars">☆ ☆ ☆ ☆ ☆</span>;
  return <span className={type === "long_text" ? "preview-input tall" : "preview-input"}>{PLACEHOLDERS[type]}</span>;
}

function PreviewChoice({ mark, label }: { mark: string; label: string }) {
  return (
    <span className="preview-choice">
      <span className={`preview-mark ${mark}`} /> {label}
    </span>
  );
}

const PLACEHOLDERS: Partial<Record<FieldType, string>> = {
  select: "Choose…",
  wallet: "0x…",
  date: "yyyy-mm-dd",
  file: "Choose a file",
};
