import { type ReactNode, useSyncExternalStore } from "react";
import { ACCOUNT_LIMITS } from "../../../../src/contract/account-limits.ts";
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
