import { recordAudit } from "../../accounts/audit.ts";
import { useChallenge } from "../../accounts/challenges.ts";
import { addIdentity, findIdentityUser, type Identity, removeIdentities } from "../../accounts/identities.ts";
import type { Oidc, OidcSecrets } from "../../accounts/oidc.ts";
import { findUser, type User } from "../../accounts/users.ts";
import { OidcRemovedAnswer, OidcReturnQuery, OidcStartQuery } from "../../contract/account.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Tx } from "../../control/store.ts";
import { findOidcText, findSessionText, oidcCookie, sessionCookie } from "../account/cookie.ts";
import type { AccountDeps, AccountRequest } from "../account/deps.ts";
import { isSessionAlive, requireFreshProof } from "../account/fresh-proof.ts";
import { getSignedIn, recordOwn } from "../account/signed-in.ts";
import { createCookieSession, requireSafeCookie } from "../account/start-session.ts";
import { type Answer, accountRoute, type Route } from "../route.ts";

const TAG = "Sign-in";
const RETURN_PATH = "/api/sign-in/oidc/callback";

/** What the cookie remembers on the way to the provider and back. */
interface Left extends OidcSecrets {
  /** The user who adds the provider to their account; absent when somebody signs in. */
  userId?: string;
  /** Their session: it must still be there when they come back. */
  sessionId?: string;
}

type Problem = "refused" | "unknown" | "taken";

export function oidcRoutes(): Route[] {
  return [
    accountRoute({
      method: "GET",
      path: "/api/sign-in/oidc/start",
      operationId: "startOidc",
      tag: TAG,
      summary: "Lead to the OpenID Connect provider",
      description: "For a link of the page. `link` adds the provider to the account of the signed-in user.",
      access: "open",
      query: OidcStartQuery,
      answers: { 302: "text/plain" },
      act: async (request, deps) => {
        requireSafeCookie(deps);
        const { begin } = getOidc(deps);
        const signedIn = request.query.intent === "link" ? request.signedIn : undefined;
        if (request.query.intent === "link" && signedIn === undefined)
          throw new ApiError("UNAUTHORIZED", "Sign in first");
        if (signedIn !== undefined) requireFreshProof(request);
        const { url, secrets } = await begin(`${deps.publicApiUrl()}${RETURN_PATH}`);
        const left: Left = {
          ...secrets,
          ...(signedIn && { userId: signedIn.user.id, sessionId: signedIn.session.id }),
        };
        const text = deps.challenges.make("oidc", left, request.nowMs);
        return redirect(url, oidcCookie(deps.publicApiUrl(), text));
      },
    }),
    accountRoute({
      method: "GET",
      path: RETURN_PATH,
      operationId: "finishOidc",
      tag: TAG,
      summary: "Return from the OpenID Connect provider",
      description: "Leads to the dashboard, or to `/sign-in#error=...`.",
      access: "open",
      fromElsewhere: true,
      query: OidcReturnQuery,
      answers: { 302: "text/plain" },
      act: finishOidc,
    }),
    accountRoute({
      method: "DELETE",
      path: "/api/account/oidc",
      operationId: "removeOidc",
      tag: "Account",
      summary: "Remove the OpenID Connect provider from the account",
      access: "user",
      answers: { 200: OidcRemovedAnswer },
      act: async (request, deps) => {
        const { user } = getSignedIn(request);
        const removed = await deps.store.write(async (tx) => {
          await recordOwn(tx, request, { action: "removeOidc", target: user.id });
          return removeIdentities(tx, user.id);
        });
        return { status: 200, body: { isSuccess: true, data: { removed } } };
      },
    }),
  ];
}

/** The cookie proves that the same browser began; the provider proves who it is. */
async function finishOidc(request: AccountRequest, deps: AccountDeps): Promise<Answer> {
  const { finish } = getOidc(deps);
  const publicUrl = deps.publicApiUrl();
  const left = deps.challenges.read<Left>("oidc", findOidcText(request.cookies, publicUrl) ?? "", request.nowMs);
  if (left === undefined) return fail(deps, "refused");
  const returned = new URL(`${publicUrl}${RETURN_PATH}`);
  for (const [name, value] of Object.entries(request.query as Record<string, unknown>))
    returned.searchParams.set(name, String(value));
  const identity = await finish(returned, left.data);
  if (identity === undefined) return fail(deps, "refused");
  const { userId } = left.data;
  const cookieText = findSessionText({ cookie: request.cookies }, publicUrl);
  const replaced = cookieText === undefined ? undefined : await deps.sessions.find(cookieText);
  const result = await deps.store.write(async (tx): Promise<{ text: string } | Problem> => {
    if (!(await useChallenge(tx, left))) return "refused";
    if (userId !== undefined && !(await isSessionAlive(tx, left.data, request.nowMs))) return "refused";
    const user = await findUser(tx, userId ?? (await findIdentityUser(tx, identity)) ?? "");
    if (user === undefined || user.disabledAtMs !== null) return "unknown";
    if (userId !== undefined && !(await join(tx, user, identity, request.nowMs))) return "taken";
    // The session whose cookie came along ends, as in every sign-in.
    return { text: await createCookieSession(tx, deps, { ...request, signedIn: replaced }, user, "oidc") };
  });
  if (typeof result === "string") return fail(deps, result);
  return redirect(`${publicUrl}/app`, sessionCookie(publicUrl, result.text));
}

/** Adds the identity to the account. False if it is another's. */
async function join(tx: Tx, user: User, identity: Identity, nowMs: number): Promise<boolean> {
  if ((await findIdentityUser(tx, identity)) === user.id) return true;
  if (!(await addIdentity(tx, user.id, identity, nowMs))) return false;
  const details = { issuer: identity.issuer };
  await recordAudit(
    tx,
    null,
    { userId: user.id, actor: user.name, action: "addOidc", target: user.id, details },
    nowMs,
  );
  return true;
}

function getOidc({ oidc }: AccountDeps): Oidc {
  if (oidc === undefined) throw new ApiError("BAD_REQUEST", "No OpenID Connect provider is set");
  return oidc;
}

function fail(deps: AccountDeps, problem: Problem): Answer {
  return redirect(`${deps.publicApiUrl()}/sign-in#error=oidc_${problem}`);
}

function redirect(url: string, cookie?: string): Answer {
  return {
    status: 302,
    text: "",
    headers: { Location: url, ...(cookie === undefined ? {} : { "Set-Cookie": cookie }) },
  };
}
