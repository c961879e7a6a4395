import type { SessionAuth } from "../accounts/authenticate-session.ts";
import type { Authenticate } from "../control/authenticate.ts";
import { findSignedIn } from "./account/principal.ts";
import { findKeyText } from "./auth.ts";
import type { RouteRequest } from "./route.ts";

/** Whether the credential of a request that goes on, such as a stream of the GET route `path`, is still valid. */
export type IsStillAllowed = (path: string, request: Pick<RouteRequest, "key" | "parts">) => Promise<boolean>;

export function createIsStillAllowed(deps: {
  authenticate: Authenticate;
  sessions: SessionAuth;
  publicApiUrl: () => string;
}): IsStillAllowed {
  return async (path, { key, parts: { headers } }) => {
    const text = findKeyText(path, headers);
    if (text !== undefined) return (await deps.authenticate(text)) !== undefined;
    const signedIn = await findSignedIn(deps.sessions, { method: "GET", headers }, deps.publicApiUrl());
    return signedIn?.memberships.some((member) => member.workspaceId === key.workspaceId) ?? false;
  };
}
