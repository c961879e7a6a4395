import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../api/client.ts";
import { RequestFailed } from "../../api/failure.ts";
import { type Account, readAccount, type Wrapped } from "../../api/session.ts";
import { Field, FormFailure, formTexts } from "../../ui/form.tsx";
import { PASSWORD_HINT, SignInCard, useLinkToken } from "./card.tsx";
import { useEnter } from "./sign-in.tsx";

interface LinkInfo {
  kind: "invite" | "reset";
  workspace: { name: string } | null;
  role: string | null;
  name: string | null;
  expiresAt: string;
}

function useLink() {
  const token = useLinkToken();
  const info = useQuery({
    queryKey: ["link", token],
    queryFn: async () => {
      const answer = await call<Wrapped<LinkInfo>>({ method: "POST", path: "/api/links/read", body: { token } });
      return answer.data;
    },
    retry: false,
  });
  return { token, info };
}

function Broken({ failure }: { failure: unknown }) {
  const used = failure instanceof RequestFailed && (failure.status === 404 || failure.status === 400);
  return (
    <SignInCard
      title={used ? "This link cannot be used" : "The link could not be read"}
      lead={used ? "It was used already, or its time is over. Ask for a new one." : undefined}
    >
      {used ? null : <FormFailure failure={failure} />}
      <Link to="/sign-in" className="button large">
        Sign in
      </Link>
    </SignInCard>
  );
}

export function Invite() {
  const { token, info } = useLink();
  const enter = useEnter();
  const account = useQuery({ queryKey: ["own-account"], queryFn: ({ signal }) => readAccount(signal), retry: false });
  const accept = useMutation({
    mutationFn: (body: Record<string, string>) =>
      call<Wrapped<Account>>({ method: "POST", path: "/api/invites/accept", body: { token, ...body } }),
    onSuccess: ({ data }) => enter(data),
  });
  if (info.error) return <Broken failure={info.error} />;
  if (info.isPending || account.isPending) return <SignInCard title="One moment…">{null}</SignInCard>;
  const title = `Join ${info.data.workspace?.name ?? "the workspace"}`;
  return (
    <SignInCard title={title} lead={info.data.role ? `You are invited as ${info.data.role}.` : undefined}>
      <form className="stack" onSubmit={(event) => accept.mutate(formTexts(event))}>
        {account.data ? (
          <p>You are signed in as {account.data.user.name}.</p>
        ) : (
          <>
            <Field label="Name" name="name" autoComplete="username" />
            <Field label="Password" name="password" type="password" autoComplete="new-password" hint={PASSWORD_HINT} />
          </>
        )}
        <FormFailure failure={accept.error} />
        <button type="submit" className="button primary large" disabled={accept.isPending}>
          Join
        </button>
      </form>
    </SignInCard>
  );
}

export function Reset() {
  const { token, info } = useLink();
  const enter = useEnter();
  const reset = useMutation({
    mutationFn: (body: Record<string, string>) =>
      call<Wrapped<Account>>({ method: "POST", path: "/api/reset", body: { token, ...body } }),
    onSuccess: ({ data }) => enter(data),
  });
  if (info.error) return <Broken failure={info.error} />;
  if (info.isPending) return <SignInCard title="One moment…">{null}</SignInCard>;
  return (
    <SignInCard title="Choose a new password" lead={info.data.name ? `For ${info.data.name}.` : undefined}>
      <form className="stack" onSubmit={(event) => reset.mutate(formTexts(event))}>
        <Field label="New password" name="password" type="password" autoComplete="new-password" hint={PASSWORD_HINT} />
        <FormFailure failure={reset.error} />
        <button type="submit" className="button primary large" disabled={reset.isPending}>
          Save and sign in
        </button>
      </form>
    </SignInCard>
  );
}
