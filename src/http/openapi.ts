/**
 * Builds OpenAPI 3.1 from the route tables. Written by hand, because TypeBox schemas already are the JSON Schema
 * 2020-12 that 3.1 embeds: generators made for 3.0 would only convert them back and forth.
 */
import type { TSchema } from "typebox";
import { ERROR_BODIES, type ErrorStyle } from "../contract/error-body.ts";
import { ERRORS } from "../contract/errors.ts";
import { LIMITS } from "../contract/limits.ts";
import { FILE_TYPE } from "./body.ts";
import { nameParts } from "./openapi-names.ts";
import { isAccountRoute, isHosted, isSharedRoute, type Route, takesFile } from "./route.ts";
import { isRequired } from "./validate.ts";

export interface ServerDoc {
  name: "api" | "events" | "ops";
  url: string;
  about: string;
  style: (path: string) => ErrorStyle;
  routes: readonly Route[];
}

interface Schema {
  [key: string]: unknown;
}

/** What the routes of a tag are for. */
const TAGS: Readonly<Record<string, string>> = {
  Analytics: "Reports about a project: numbers, lists, funnels, flows, retention, wallets and live events.",
  Annotations: "Notes on days, which charts show.",
  Segments: "Saved filters, which reports take by their id.",
  Profiles: "Wallets as people: what their events say, and properties and labels that an app gives them.",
  Alerts: "Messages about events, wallets and numbers: to webhooks, chats and mail.",
  "Scheduled reports": "Weekly and monthly reports by mail or Slack.",
  Mail: "Addresses that get mail, and the links in it.",
  Imports: "Files of history of other products: sent, looked at and imported.",
  Settings: "What a project stores and shows: bots, retention, names and its other settings.",
  Boards: "Boards of charts, and templates to begin with.",
  Charts: "The charts of a board: kept, arranged and run.",
  "Shared boards": "Boards for people who have a public link, without a key or an account.",
  SQL: "Statements over a project's own tables, and what there is to query.",
  Keys: "Workspace API keys and BI tokens: create, list and revoke.",
  Forms: "Forms and their submissions.",
  Webhooks: "Subscriptions to events of forms, and the log of their deliveries.",
  "Sign-in": "Ways into the dashboard: password, passkey, wallet, OpenID Connect and links.",
  Account: "The signed-in user, the members of a workspace, and the audit log.",
  "Hosted forms": "The pages on which visitors fill in a form.",
  Documentation: "This documentation, and the files that describe it.",
  Events: "Where clients send events.",
  Operations: "Health, readiness and metrics, for those who run the service.",
};

const BODY_NAMES = { plain: "ErrorBody", api: "ApiErrorBody", events: "EventsErrorBody" } as const;

export function buildOpenApi(servers: readonly ServerDoc[], version: string): Schema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const server of servers) {
    for (const route of server.routes) {
      const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
      const item = paths[path] ?? {};
      paths[path] = item;
      item[route.method.toLowerCase()] = { ...toOperation(route, server), ...serverOf(server, servers) };
    }
  }
  return nameParts({
    openapi: "3.1.0",
    info: {
      title: "Sextant",
      version,
      license: { name: "MIT", identifier: "MIT" },
      description: "Self-hosted analytics, event ingestion and form webhooks for onchain apps.",
    },
    servers: servers.slice(0, 1).map(({ url, about }) => ({ url, description: about })),
    tags: [...new Set(servers.flatMap((server) => server.routes.map((route) => route.tag)))].map((name) => ({
      name,
      description: TAGS[name],
    })),
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(ERROR_BODIES).map(([style, body]) => [BODY_NAMES[style as ErrorStyle], plain(body)]),
      ),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "A workspace API key on /v0/, an SDK write key on the events server.",
        },
        opening: {
          type: "http",
          scheme: "bearer",
          description: "What `POST /api/shared/{token}/open` gives for the password of a public link.",
        },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "A workspace API key on /api/." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-sextant",
          description:
            "A signed-in user, who may do what the role in the workspace allows: a viewer sends only GET. A user of " +
            "several workspaces names one in `X-Sextant-Workspace`, or a `project_id` in the query. On loopback the " +
            "cookie is named `sextant`.",
        },
      },
    },
  });
}

/** A path of a server other than the first has its own server URL. */
function serverOf(server: ServerDoc, servers: readonly ServerDoc[]): Schema {
  return server === servers[0] ? {} : { servers: [{ url: server.url, description: server.about }] };
}

function toOperation(route: Route, server: ServerDoc): Schema {
  const style = server.style(route.path);
  const scope = scopeOf(route);
  const role = route.role && `Role: \`${route.role}\`.`;
  const description = [route.description ?? `${route.summary}.`, scope && `Scope: \`${scope}\`.`, role]
    .filter(Boolean)
    .join(" ");
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(description === "" ? {} : { description }),
    security: securityOf(route, server),
    parameters: [...parametersOf(route.params, "path"), ...parametersOf(route.query, "query"), ...headersOf(route)],
    ...(route.body
      ? {
          requestBody: {
            required: isRequired(route.body),
            content: Object.fromEntries(
              bodyTypesOf(route).map((type) => [type, { schema: plain(route.body ?? {}, omitDefaults) }]),
            ),
          },
        }
      : {}),
    ...(takesFile(route) ? { requestBody: FILE_BODY } : {}),
    responses: { ...answersOf(route), ...errorsOf(route, style) },
  };
}

const FILE_BODY = { required: true, content: { [FILE_TYPE]: { schema: { type: "string", format: "binary" } } } };

function isPublic(route: Route): boolean {
  return route.access === "open" || route.access === "visitor";
}

function bodyTypesOf(route: Route): string[] {
  return isHosted(route) ? ["application/json", "application/x-www-form-urlencoded"] : ["application/json"];
}

function scopeOf(route: Route): string | undefined {
  return ["any", "open", "visitor", "write-key", "member", "user"].includes(route.access) ? undefined : route.access;
}

/** Whether a signed-in user may call it without a key. */
function takesSession(route: Route): boolean {
  return !isPublic(route) && route.access !== "write-key" && !route.keyInBody;
}

function securityOf(route: Route, server: ServerDoc): Schema[] {
  // Only a link with a password needs it.
  if (isSharedRoute(route)) return [{}, { opening: [] }];
  if (isPublic(route)) return [];
  if (server.name === "events") return [{ bearer: [] }];
  const session = takesSession(route) ? [{ session: [] }] : [];
  if (route.access === "member" || route.access === "user") return session;
  const keys = [{ bearer: [] }, { apiKey: [] }];
  return [...(route.path.startsWith("/api/") ? keys.reverse() : keys), ...session];
}

function parametersOf(schema: TSchema | undefined, place: "path" | "query"): Schema[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  // Older names are still read, and no new client needs them: `dateFrom` beside `date_from` is one name twice in many
  // languages.
  const current = Object.entries(properties).filter(
    ([, { description = "" }]) => !/^The older name of /.test(String(description)),
  );
  return current.map(([name, property]) => {
    const { description, ...rest } = plain(property);
    return {
      name,
      in: place,
      // A property with a default is required in the schema because the handler always gets it; a client may omit it.
      // The schema cannot require what an older name may stand in for.
      required:
        place === "path" ||
        /\bRequired; `\w+` is its older name\b/.test(String(description)) ||
        (required.includes(name) && !("default" in property)),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function headersOf(route: Route): Schema[] {
  const workspace = {
    name: "X-Sextant-Workspace",
    in: "header",
    required: false,
    description: "The workspace; not needed by a user who is in one.",
    schema: { type: "string" },
  };
  const chosen = route.access === "member" ? [workspace] : [];
  // Answers that set a cookie are not kept for replays.
  if (isRead(route) || isAccountRoute(route) || isSharedRoute(route)) return chosen;
  const schema = { type: "string", minLength: 1, maxLength: LIMITS.idempotencyKeyChars };
  const description = "Makes a retry safe: the first 2xx answer is kept for 24 hours and replayed byte for byte.";
  return [...chosen, { name: "Idempotency-Key", in: "header", required: false, description, schema }];
}

function isRead(route: Route): boolean {
  return route.method === "GET" || ("kind" in route && route.kind === "read");
}

function answersOf(route: Route): Schema {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, body]) => {
      const answer = {
        description: Number(status) < 300 ? "Success" : "Elsewhere",
        headers: { "X-Request-Id": { schema: { type: "string" } } },
      };
      if (body === null) return [status, answer];
      const content =
        typeof body === "string"
          ? { [body]: { schema: { type: body === "application/json" ? "object" : "string" } } }
          : { "application/json": { schema: plain(body) } };
      if (status === "200")
        for (const type of route.otherTypes ?? []) Object.assign(content, { [type]: { schema: { type: "string" } } });
      return [status, { ...answer, content }];
    }),
  );
}

/** Responses that a server gives before routing: the same for all routes, so one entry documents them. */
const BEFORE_THE_ROUTE =
  "A request that is too slow (408), a URL or headers that are too long (414, 431), or an Expect (417)";

/** The statuses of a route follow from its properties, not from a list kept by hand. */
function errorsOf(route: Route, style: ErrorStyle): Schema {
  const statuses = new Set<number>([500, 503]);
  const isAccount = isAccountRoute(route);
  if (route.access !== "open" || route.perReader || isAccount) statuses.add(429);
  if (!isPublic(route) || isAccount || isSharedRoute(route)) statuses.add(401);
  if (takesSession(route) || isAccount) for (const status of [400, 403]) statuses.add(status);
  if (route.access === "write-key" || namesResource(route)) statuses.add(404);
  if (route.params || route.query || route.body || route.method !== "GET") statuses.add(400);
  if (route.method !== "GET" || route.body) for (const status of [413, 415]) statuses.add(status);
  if (!isRead(route) && !isSharedRoute(route)) statuses.add(409);
  const schema = { $ref: `#/components/schemas/${BODY_NAMES[style]}` };
  // A person on a hosted page, or behind the link of a mail, sees failures in a page.
  const isPage = isHosted(route) || (isSharedRoute(route) && route.answers[200] === "text/html");
  const page = isPage ? { "text/html": { schema: { type: "string" } } } : {};
  const answer = (description: string) => ({ description, content: { "application/json": { schema }, ...page } });
  return {
    ...Object.fromEntries(
      [...statuses].sort((a, b) => a - b).map((status) => [status, answer(describeStatus(status))]),
    ),
    default: answer(BEFORE_THE_ROUTE),
  };
}

/**
 * Whether the route takes the id of a resource: of a form in a path, of a project in a query, of a form in a webhook's
 * body; or the token of a link.
 */
function namesResource(route: Route): boolean {
  return [route.params, route.query, route.body].some((schema) =>
    Object.keys((schema as { properties?: object } | undefined)?.properties ?? {}).some((name) =>
      /(_id|Id|^token|^mailToken)$/.test(name),
    ),
  );
}

function describeStatus(status: number): string {
  const codes = Object.entries(ERRORS).filter(([, error]) => error.status === status);
  return codes.length > 0 ? codes.map(([code]) => code).join(", ") : "BAD_REQUEST";
}

/** A copy without TypeBox's hidden symbols and without $id, which would rebase every reference inside. */
function plain(schema: object, revive?: Parameters<typeof JSON.parse>[1]): Schema {
  const { $id: _id, ...copy } = JSON.parse(JSON.stringify(schema), revive) as Schema;
  return copy;
}

interface ObjectSchema extends Schema {
  readonly required: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** For bodies: at any depth a client may omit what has a default. */
function omitDefaults(_name: string, part: ObjectSchema | null): unknown {
  if (!Array.isArray(part?.required)) return part;
  const { required, ...rest } = part;
  const needed = required.filter((name) => !("default" in (part.properties?.[name] ?? {})));
  return needed.length > 0 ? { ...part, required: needed } : rest;
}
