import { ApiError } from "../../contract/errors.ts";
import {
  IdentityListAnswer,
  IdentityQuery,
  ProfileListAnswer,
  ProfileParams,
  ProfileQuery,
  ProfileSearchBody,
  ProfileSearchQuery,
  ProfileView,
} from "../../contract/profiles.ts";
import { pickProject } from "../../control/report-projects.ts";
import { type Route, readRoute } from "../../http/route.ts";
import { findIdentities } from "../../profiles/identities.ts";
import { readProfileQuestion, readSearchQuestion, type SearchQuestion } from "../../profiles/read-query.ts";
import { getProfile, searchProfiles } from "../../profiles/search.ts";
import type { Known } from "../../query/report/question.ts";
import type { RunLookup } from "../../query/run/run-lookup.ts";
import { type FindSegment, readWithSegment } from "../../query/run/with-segment.ts";

const TAG = "Profiles";

interface ProfileNeeds {
  runLookup: RunLookup;
  findSegment: FindSegment;
  /** What people look at is asked of providers, later. */
  noteWallets: (projectId: string, addresses: readonly string[]) => void;
}

/** Wallets as people: one profile a wallet and project. */
export function profileRoutes(needs: ProfileNeeds): Route[] {
  return [
    searchRoute(needs, { method: "GET", path: "/v0/profiles", operationId: "searchProfiles" }),
    searchRoute(needs, { method: "POST", path: "/v0/profiles", operationId: "searchProfilesByPost" }),
    searchRoute(needs, { method: "POST", path: "/v0/profiles/search", operationId: "searchProfilesAtSearch" }),
    getProfileRoute(needs),
    identitiesRoute(needs),
  ];
}

const getProfileRoute = ({ runLookup, noteWallets }: ProfileNeeds) =>
  readRoute({
    method: "GET",
    path: "/v0/profiles/:address",
    operationId: "getProfile",
    tag: TAG,
    summary: "The profile of a wallet",
    description:
      "What the events of the wallet say, and what the app has set. What is not known is null: without a provider that is net worth, tokens, apps and everything else from outside.",
    access: "profiles:read",
    params: ProfileParams,
    query: ProfileQuery,
    check: ({ params, query }) => readProfileQuestion((params as { address?: unknown }).address, query as ProfileQuery),
    answers: { 200: ProfileView },
    async handle({ db, key, parts: { query }, checked, signal, charge }) {
      const project = await pickProject(db, key, query.project_id, "query.project_id");
      const owner = { workspaceId: key.workspaceId, projects: [project] };
      const profile = await runLookup(getProfile(project.id, checked), owner, signal, charge);
      if (profile === undefined)
        throw new ApiError("NOT_FOUND", "There is no such profile", { param: "params.address" });
      noteWallets(project.id, [profile.address]);
      return { status: 200, body: profile };
    },
  });

const identitiesRoute = ({ runLookup }: ProfileNeeds) =>
  readRoute({
    method: "GET",
    path: "/v0/profiles/:address/identities",
    operationId: "listIdentities",
    tag: TAG,
    summary: "Who was seen with a wallet",
    description:
      "Visitors, user ids and other wallets that the events of the same visitors name, the latest 1,000 of them, the wallet itself included. Nothing is merged.",
    access: "profiles:read",
    params: ProfileParams,
    query: IdentityQuery,
    check: ({ params }) => readProfileQuestion((params as { address?: unknown }).address, {}),
    answers: { 200: IdentityListAnswer },
    async handle({ db, key, parts: { query }, checked, signal, charge }) {
      const project = await pickProject(db, key, query.project_id, "query.project_id");
      const owner = { workspaceId: key.workspaceId, projects: [project] };
      const data = await runLookup(findIdentities(project.id, checked), owner, signal, charge);
      return { status: 200, body: { data } };
    },
  });

/** The same search under each of its addresses: a GET with a body is what public clients send, and browsers cannot. */
function searchRoute(
  { runLookup, findSegment, noteWallets }: ProfileNeeds,
  at: { method: "GET" | "POST"; path: string; operationId: string },
): Route {
  return readRoute({
    ...at,
    tag: TAG,
    summary: at.method === "GET" ? "Find profiles, with conditions in a JSON body" : "Find profiles",
    description:
      "Every wallet with events, and every one that has a property or a label or was imported. Wallets without events come last. A body is optional.",
    access: "profiles:read",
    query: ProfileSearchQuery,
    body: ProfileSearchBody,
    check: ({ query, body }) => readSearchQuestion(query as ProfileSearchQuery, body),
    answers: { 200: ProfileListAnswer },
    async handle({ db, key, parts: { query, body }, checked, signal, charge }) {
      const project = await pickProject(db, key, query.project_id, "query.project_id");
      const owner = { workspaceId: key.workspaceId, projects: [project] };
      const read = ({ segment }: Known) => readSearchQuestion(query, body, segment);
      const question: SearchQuestion = await readWithSegment(findSegment, owner, query, checked, read);
      const { data, total } = await runLookup(searchProfiles(project.id, question), owner, signal, charge);
      noteWallets(
        project.id,
        data.map((profile) => profile.address),
      );
      const { page, size } = question;
      return { status: 200, body: { data, page, size, total, has_more: page * size < total } };
    },
  });
}
