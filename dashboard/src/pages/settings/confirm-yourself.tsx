/** A way to sign in is added only a moment after a sign-in: somebody else's session must not become permanent. */
import { useEffect, useState } from "react";
import { serviceUrl } from "../../api/client.ts";
import { useWrite } from "../../api/resources.ts";
import { useSession } from "../../api/session.ts";
import { FormFailure, formTexts } from "../../ui/form.tsx";
import { Section } from "./parts.tsx";

/** Whether the last sign-in is young enough to add a method now. */
export function useIsFresh(): boolean {
  const untilMs = Date.parse(useSession().session.freshUntil);
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setTimeout(() => setNowMs(Date.now()), Math.max(0, untilMs - Date.now()));
    return () => clearTimeout(timer);
  }, [untilMs]);
  return nowMs < untilMs;
}

export function ConfirmYourself() {
  const { user } = useSession();
  const isFresh = useIsFresh();
  const confirm = useWrite<unknown, object>((body) => ({ method: "POST", path: "/api/sign-in/password", body }));
  if (isFresh) return null;
  return (
    <Section
      title="Confirm that it is you"
      about="Your last sign-in was a while ago. Confirm it before you add a way to sign in."
      action={
        user.hasPassword ? null : (
          <a className="button" href={serviceUrl("/sign-in").href}>
            Sign in again
          </a>
        )
      }
    >
      {user.hasPassword ? (
        <form
          className="settings-line"
          onSubmit={(event) => confirm.mutate({ name: user.name, password: formTexts(event).password })}
        >
          <input type="text" name="username" autoComplete="username" defaultValue={user.name} hidden readOnly />
          <label>
            Password
            <input name="password" type="password" autoComplete="current-password" required />
          </label>
          <button type="submit" className="button" disabled={confirm.isPending}>
            Confirm
          </button>
        </form>
      ) : null}
      <FormFailure failure={confirm.error} />
    </Section>
  );
}
