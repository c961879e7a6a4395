import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { call, serviceUrl } from "../../api/client.ts";
import { hasPasskeys, signInWithPasskey } from "../../api/passkey.ts";
import type { Account, SignInChoices, Wrapped } from "../../api/session.ts";
import { findWallet, signInWithWallet } from "../../api/wallet.ts";
import { Field, FormFailure, formTexts } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { SignInCard } from "./card.tsx";

export function SignIn() {
  const navigate = useNavigate();
  const choices = useQuery({
    queryKey: ["sign-in"],
    queryFn: async ({ signal }) => (await call<Wrapped<SignInChoices>>({ path: "/api/sign-in", signal })).data,
    staleTime: 0,
  });
  useEffect(() => {
    if (choices.data?.setupOpen) void navigate({ to: "/setup", replace: true });
  }, [choices.data, navigate]);
  const enter = useEnter();
  const password = useMutation({
    mutationFn: (body: Record<string, string>) =>
      call<Wrapped<Account>>({ method: "POST", path: "/api/sign-in/password", body }),
    onSuccess: ({ data }) => enter(data),
  });
  const passkey = useMutation({ mutationFn: signInWithPasskey, onSuccess: enter });
  const wallet = useMutation({ mutationFn: signInWithWallet, onSuccess: enter });
  const methods = choices.data?.methods;
  const others = [
    methods?.passkey && hasPasskeys()
      ? { label: "Sign in with a passkey", icon: "key" as const, run: () => passkey.mutate() }
      : undefined,
    methods?.wallet && findWallet()
      ? { label: "Sign in with a wallet", icon: "user" as const, run: () => wallet.mutate() }
      : undefined,
  ].filter((other) => other !== undefined);
  return (
    <SignInCard title="Sign in to Sextant">
      <form className="stack" onSubmit={(event) => password.mutate(formTexts(event))}>
        <Field label="Name" name="name" autoComplete="username webauthn" />
        <Field label="Password" name="password" type="password" autoComplete="current-password" />
        <FormFailure failure={choices.error ?? password.error ?? passkey.error ?? wallet.error ?? providerFailure()} />
        <button type="submit" className="button primary large" disabled={password.isPending}>
          {password.isPending ? "Signing in…" : "Sign in"}
        </button>
      </form>
      {others.length > 0 || methods?.oidc ? <div className="or">or</div> : null}
      <div className="stack">
        {others.map(({ label, icon, run }) => (
          <button key={label} type="button" className="button large" onClick={run}>
            <Icon name={icon} />
            {label}
          </button>
        ))}
        {methods?.oidc ? (
          <a className="button large" href={serviceUrl("/api/sign-in/oidc/start", { intent: "sign-in" }).href}>
            <Icon name="external" />
            Continue with {methods.oidc.name}
          </a>
        ) : null}
      </div>
      <p className="note">
        Forgot the password? Whoever runs this Sextant can make a link:{" "}
        <code>npx sextant users reset &lt;name&gt;</code>
      </p>
    </SignInCard>
  );
}

/** The codes with which the service leads back from the provider. */
const PROVIDER_FAILURES: Readonly<Record<string, string>> = {
  oidc_refused: "The provider did not confirm the sign-in. Try again.",
  oidc_unknown: "No account here has added this provider. Sign in another way, then add it under Settings, My account.",
  oidc_taken: "This identity belongs to another account here.",
};

/** The provider's answer comes back as `/sign-in#error=...`. Anybody can make such a link: only codes have a text. */
function providerFailure(): Error | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get("error") ?? "";
  return Object.hasOwn(PROVIDER_FAILURES, code) ? new Error(PROVIDER_FAILURES[code]) : undefined;
}

/** Goes to the page that asked for the sign-in. */
export function useEnter(otherwise = "/app"): (account: Account) => void {
  const client = useQueryClient();
  const router = useRouter();
  const { next } = useSearch({ strict: false }) as { next?: string };
  return (account) => {
    client.clear();
    client.setQueryData(["account"], account);
    // With the prefix of a proxy, which the router leaves out of its own paths.
    const { pathname, search } = serviceUrl(next ?? otherwise);
    router.history.push(`${pathname}${search}`);
  };
}
