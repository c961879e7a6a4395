/** Fields, failures and dialogs of forms. */
import { type FormEvent, type ReactNode, useState } from "react";
import { adviceFor, failureText, RequestFailed } from "../api/failure.ts";
import { CopyButton } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { ShownOnce } from "./shown-once.tsx";

interface FieldProps {
  label: string;
  name: string;
  type?: "text" | "password";
  autoComplete: string;
  hint?: string;
  value?: string;
}

export function Field({ label, name, type = "text", autoComplete, hint, value }: FieldProps) {
  const hintId = hint ? `${name}-hint` : undefined;
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        autoComplete={autoComplete}
        aria-describedby={hintId}
        defaultValue={value}
        required
        spellCheck={false}
        autoCapitalize="none"
      />
      {hint ? <small id={hintId}>{hint}</small> : null}
    </div>
  );
}

export function FormFailure({ failure }: { failure: unknown }) {
  if (!failure) return null;
  // A wrong password is a 401 as well: its message says all there is to say, and so do those of this page's own checks.
  const isOurs = failure instanceof RequestFailed && (failure.status === 0 || failure.status >= 500);
  const advice = isOurs ? adviceFor(failure) : "";
  return (
    <p className="form-failure" role="alert">
      {[failureText(failure), advice].filter((part) => part !== "").join(" ")}
    </p>
  );
}

export function formTexts(event: FormEvent<HTMLFormElement>): Record<string, string> {
  event.preventDefault();
  const entries = [...new FormData(event.currentTarget)];
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === "string" ? value : value.name]));
}

interface FormDialogProps {
  title: string;
  submit: string;
  pending: boolean;
  failure: unknown;
  onSubmit: (texts: Record<string, string>, event: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
  children: ReactNode;
}

export function FormDialog({ title, submit, pending, failure, onSubmit, onClose, children }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={(event) => onSubmit(formTexts(event), event)}>
        {children}
        <FormFailure failure={failure} />
        <div className="dialog-actions">
          <button type="submit" className="button primary" disabled={pending}>
            {submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ConfirmProps {
  label: string;
  title: string;
  about: ReactNode;
  confirm: string;
  pending: boolean;
  failure: unknown;
  onConfirm: () => void;
}

/** A button that asks before it acts. */
export function Confirm({ label, title, about, confirm, pending, failure, onConfirm }: ConfirmProps) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <button type="button" className="button small danger" onClick={() => setAsked(true)}>
        {label}
      </button>
      {asked ? (
        <Dialog title={title} onClose={() => setAsked(false)}>
          <p>{about}</p>
          <FormFailure failure={failure} />
          <div className="dialog-actions">
            <button type="button" className="button" onClick={() => setAsked(false)}>
              Keep it
            </button>
            <button type="button" className="button danger" disabled={pending} onClick={onConfirm}>
              {confirm}
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

/** A text that is shown once. */
export function Once({
  title,
  about,
  text,
  onClose,
}: {
  title: string;
  about: string;
  text: string;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{about}</p>
      <ShownOnce text={text} />
      <div className="dialog-actions">
        <CopyButton text={text}>Copy</CopyButton>
      </div>
    </Dialog>
  );
}
