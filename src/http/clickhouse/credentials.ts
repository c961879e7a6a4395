/** Who asks: a BI token, and the names under which its project is known. */
import type { AuthenticateBi } from "../../control/authenticate.ts";
import type { BiToken } from "../../control/bi-tokens.ts";
import type { FailedAuth } from "../auth.ts";
import { ClickHouseError, fromApiError } from "./errors.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

interface Credentials {
  /** Empty if only a token was sent. */
  readonly user: string;
  readonly token: string;
}

/** The official client for Node takes the path of its URL for the database: nobody chose that name. */
const PATH_NAME = "clickhouse";
/** For tools that insist on a user and a database: the token already names the project. */
const COMMON_NAMES = ["default", "formo", "sextant", PATH_NAME] as const;

/** The names of the user and of the database: the project's id, and those that tools fill in. */
export function namesOf(projectId: string): ReadonlySet<string> {
  return new Set([...COMMON_NAMES, projectId]);
}

const IN_URL = /[?&](?:password|user)=/;

/**
 * Throws for a token that is missing, wrong, revoked or of another project; the last three look alike. By the headers
 * alone: the query is not parsed for somebody unknown.
 */
export async function authenticate(
  deps: { authenticate: AuthenticateBi; failures: FailedAuth },
  headers: Headers,
  url: string,
  client: string,
): Promise<{ token: BiToken; user: string }> {
  const sent = findCredentials(headers);
  const token = sent === undefined ? undefined : await deps.authenticate(sent.token);
  if (sent !== undefined && token !== undefined && (sent.user === "" || namesOf(token.projectId).has(sent.user))) {
    if (IN_URL.test(url)) throw passwordInUrl();
    return { token, user: sent.user === "" ? token.projectId : sent.user };
  }
  const failure = await deps.failures.refuse(sent?.token, client, "BI token");
  if (failure.status !== 401) throw fromApiError(failure);
  if (IN_URL.test(url)) throw passwordInUrl();
  if (sent === undefined)
    throw new ClickHouseError("REQUIRED_PASSWORD", "A BI token is required as the password: sextant bi-tokens create", {
      "WWW-Authenticate": 'Basic realm="sextant"',
    });
  throw new ClickHouseError(
    "AUTHENTICATION_FAILED",
    `${sent.user.slice(0, 80)}: Authentication failed: password is incorrect, or there is no user with such name`,
  );
}

function passwordInUrl(): ClickHouseError {
  return new ClickHouseError(
    "AUTHENTICATION_FAILED",
    "A password must not be in the URL, where proxies and logs keep it. Send it by HTTP Basic, or as X-ClickHouse-User and X-ClickHouse-Key",
  );
}

function findCredentials(headers: Headers): Credentials | undefined {
  const key = one(headers["x-clickhouse-key"]);
  if (key !== undefined) return { user: one(headers["x-clickhouse-user"]) ?? "", token: key };
  const [, scheme = "", value = ""] = /^(Basic|Bearer) +(\S+) *$/i.exec(one(headers.authorization) ?? "") ?? [];
  if (value === "") return undefined;
  if (scheme.toLowerCase() === "bearer") return { user: "", token: value };
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon === -1 || colon === text.length - 1) return undefined;
  return { user: text.slice(0, colon), token: text.slice(colon + 1) };
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** The database of a request; throws if the project has none of that name. */
export function readDatabase(projectId: string, headers: Headers, query: URLSearchParams): string {
  const asked = query.get("database") ?? one(headers["x-clickhouse-database"]) ?? "";
  if (asked === "") return COMMON_NAMES[0];
  if (!namesOf(projectId).has(asked) && asked !== "system")
    throw new ClickHouseError("UNKNOWN_DATABASE", `Database ${asked.slice(0, 80)} does not exist`);
  return asked === "system" || asked === PATH_NAME ? COMMON_NAMES[0] : asked;
}
