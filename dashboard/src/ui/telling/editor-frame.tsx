/** The frame of an editor, and its parts. */
import type { ReactNode } from "react";
import { FormFailure } from "../form.tsx";
import { Icon } from "../icon.tsx";
import "./telling.css";

interface EditorFrameProps {
  title: string;
  about: string;
  /** What the button says that saves. */
  submit: string;
  save: { readonly isPending: boolean; readonly error: unknown };
  onSave: () => void;
  onClose: () => void;
  children: ReactNode;
}

export function EditorFrame({ title, about, submit, save, onSave, onClose, children }: EditorFrameProps) {
  return (
    <form
      className="telling"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          <p>{about}</p>
        </div>
        <button type="button" className="button" onClick={onClose}>
          <Icon name="back" /> Back
        </button>
      </header>
      {children}
      <FormFailure failure={save.error} />
      <div className="telling-save">
        <button type="submit" className="button primary" disabled={save.isPending}>
          {submit}
        </button>
      </div>
    </form>
  );
}

export function EditorPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel telling-part" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
