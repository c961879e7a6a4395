import { acceptInvite, describeLink, resetPassword } from "../../accounts/use-link.ts";
import { AccountAnswer, InviteAcceptBody, LinkReadAnswer, LinkReadBody, ResetBody } from "../../contract/account.ts";
import type { AccountDeps, SessionNeeds } from "../../http/account/deps.ts";
import { answerSession, requireSafeCookie } from "../../http/account/start-session.ts";
import { accountRoute, type Route, success } from "../../http/route.ts";

const OPEN = { tag: "Sign-in", access: "open" } as const;

type LinkNeeds = SessionNeeds & Pick<AccountDeps, "passwords">;

/** What people do with a link that they were sent. */
export function linkRoutes(needs: LinkNeeds): Route[] {
  return [
    accountRoute({
      ...OPEN,
      method: "POST",
      path: "/api/links/read",
      operationId: "readLink",
      summary: "What a one-time link is for",
      body: LinkReadBody,
      answers: { 200: LinkReadAnswer },
      act: async ({ body, nowMs }) => success(await describeLink(needs, body.token, nowMs)),
    }),
    accountRoute({
      ...OPEN,
      method: "POST",
      path: "/api/invites/accept",
      operationId: "acceptInvite",
      summary: "Accept an invite",
      description: "A signed-in user joins the workspace. Anybody else sends `name` and `password` of a new account.",
      body: InviteAcceptBody,
      answers: { 200: AccountAnswer },
      act: async (request) => {
        requireSafeCookie(needs);
        return answerSession(needs, await acceptInvite(needs, request, request.body));
      },
    }),
    accountRoute({
      ...OPEN,
      method: "POST",
      path: "/api/reset",
      operationId: "resetPassword",
      summary: "Set a new password with a link of `sextant users reset`",
      description: "Ends all sessions of the user.",
      body: ResetBody,
      answers: { 200: AccountAnswer },
      act: async (request) => {
        requireSafeCookie(needs);
        return answerSession(needs, await resetPassword(needs, request, request.body));
      },
    }),
  ];
}
