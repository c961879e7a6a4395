import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../api/client.ts";
import type { Account, SignInChoices, Wrapped } from "../../api/session.ts";
import { Field, FormFailure, formTexts } from "../../ui/form.tsx";
import { PASSWORD_HINT, SignInCard, useLinkToken } from "./card.tsx";
import { useEnter } from "./sign-in.tsx";

/** Makes the first account. The token in the link proves that the person can see the output of `npm start`. */
export function Setup() {
  const token = useLinkToken();
  const enter = useEnter("/app/start");
  const choices = useQuery({
    queryKey: ["sign-in"],
    queryFn: async ({ signal }) => (await call<Wrapped<SignInChoices>>({ path: "/api/sign-in", signal })).data,
    staleTime: 0,
  });
  const setup = useMutation({
    mutationFn: (body: Record<string, string>) => call<Wrapped<Account>>({ method: "POST", path: "/api/setup", body }),
    onSuccess: ({ data }) => enter(data),
  });
  if (choices.data && !choices.data.setupOpen) {
    return (
      <SignInCard title="Already set up" lead="This Sextant has its first account.">
        <Link to="/sign-in" className="button primary large">
          Sign in
        </Link>
      </SignInCard>
    );
  }
  return (
    <SignInCard title="Welcome to Sextant" lead="Make the first account. It owns the workspace and can invite others.">
      <form
        className="stack"
        onSubmit={(event) => {
          const { name = "", password = "", token: typed = "" } = formTexts(event);
          setup.mutate({ name, password, token: token || typed });
        }}
      >
        <Field label="Name" name="name" autoComplete="username" />
        <Field label="Password" name="password" type="password" autoComplete="new-password" hint={PASSWORD_HINT} />
        {token === "" ? (
          <Field
            label="Setup token"
            name="token"
            autoComplete="off"
            hint="The service printed a link with it at its start, and keeps it in data/credentials.json."
          />
        ) : null}
        <FormFailure failure={choices.error ?? setup.error} />
        <button type="submit" className="button primary large" disabled={setup.isPending}>
          {setup.isPending ? "Making the account…" : "Make the account"}
        </button>
      </form>
    </SignInCard>
  );
}
