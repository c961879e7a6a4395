import { type FormEvent, type ReactNode, useSyncExternalStore } from "react";
import { ACCOUNT_LIMITS } from "../../../../src/contract/account-limits.ts";
import { adviceFor, failureText, RequestFailed } from "../../api/failure.ts";
import { Logo } from "../../ui/logo.tsx";

export const PASSWORD_HINT = `At least ${ACCOUNT_LIMITS.passwordMinChars} characters. A sentence is easy to remember and hard to guess.`;

/** The frame of the pages before the sign-in. */
export function SignInCard({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <Logo size={36} />
        <h1>{title}</h1>
        {lead ? <p className="lead">{lead}</p> : null}
        {children}
      </div>
    </main>
  );
}

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

/**
 * Tokens stand behind the `#` of a link, so that no server and no log sees them. A link pasted into a tab that already
 * shows the page changes only that part, without a load.
 */
export function useLinkToken(): string {
  return useSyncExternalStore(onHashChange, linkToken);
}

function onHashChange(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

function linkToken(): string {
  return new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
}
