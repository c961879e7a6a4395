import { recordAudit } from "../../accounts/audit.ts";
import { useChallenge } from "../../accounts/challenges.ts";
import { isSessionAlive, requireFreshProof } from "../../accounts/fresh-proof.ts";
import { addIdentity, findIdentityUser, type Identity, removeIdentities } from "../../accounts/identities.ts";
import type { Oidc, OidcSecrets } from "../../accounts/oidc.ts";
import { startSession } from "../../accounts/start-session.ts";
import { findUser, type User } from "../../accounts/users.ts";
import { getSignedIn, recordOwn } from "../../accounts/visit.ts";
import { OidcRemovedAnswer, OidcReturnQuery, OidcStartQuery } from "../../contract/account.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Tx } from "../../control/store.ts";
import { findOidcText, findSessionText, oidcCookie, sessionCookie } from "../../http/account/cookie.ts";
import type { AccountDeps, AccountRequest } from "../../http/account/deps.ts";
import { requireSafeCookie } from "../../http/account/start-session.ts";
import { type Answer, accountRoute, type Route, success } from "../../http/route.ts";

const TAG = "Sign-in";
const RETURN_PATH = "/api/sign-in/oidc/callback";

/** What the cookie remembers on the way to the provider and back. */
interface Left extends OidcSecrets {
  /** The user who adds the provider to their account; absent when somebody signs in. */
  userId?: string;
  /** Their session: it must still be there when they come back. */
  sessionId?: string;
}

type OidcNeeds = Pick<AccountDeps, "store" | "secret" | "sessions" | "challenges" | "oidc" | "publicApiUrl">;

type Problem = "refused" | "unknown" | "taken";

export function oidcRoutes(deps: OidcNeeds): Route[] {
  return [startOidcRoute(deps), finishOidcRoute(deps), removeOidcRoute(deps)];
}

const startOidcRoute = (deps: OidcNeeds) =>
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
    act: async (request) => {
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
  });

const finishOidcRoute = (deps: OidcNeeds) =>
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
    act: (request) => finishOidc(request, deps),
  });

const removeOidcRoute = (deps: OidcNeeds) =>
  accountRoute({
    method: "DELETE",
    path: "/api/account/oidc",
    operationId: "removeOidc",
    tag: "Account",
    summary: "Remove the OpenID Connect provider from the account",
    access: "user",
    answers: { 200: OidcRemovedAnswer },
    act: async (request) => {
      const { user } = getSignedIn(request);
      const removed = await deps.store.write(async (tx) => {
        await recordOwn(tx, request, { action: "removeOidc", target: user.id });
        return removeIdentities(tx, user.id);
      });
      return success({ removed });
    },
  });

/** The cookie proves that the same browser began; the provider proves who it is. */
async function finishOidc(request: AccountRequest, deps: OidcNeeds): Promise<Answer> {
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
    return { text: await startSession(tx, deps.secret, { ...request, signedIn: replaced }, user, "oidc") };
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

function getOidc({ oidc }: OidcNeeds): Oidc {
  if (oidc === undefined) throw new ApiError("BAD_REQUEST", "No OpenID Connect provider is set");
  return oidc;
}

function fail(deps: OidcNeeds, problem: Problem): Answer {
  return redirect(`${deps.publicApiUrl()}/sign-in#error=oidc_${problem}`);
}

function redirect(url: string, cookie?: string): Answer {
  return {
    status: 302,
    text: "",
    headers: { Location: url, ...(cookie === undefined ? {} : { "Set-Cookie": cookie }) },
  };
}
