import { hash, randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Body, EMPTY_BODY, receiveBody, withHead } from "./body.ts";
import { EngineException } from "./exceptions.ts";
import type { ReadStatement } from "./known-statements.ts";
import type { EngineLimits } from "./limits.ts";
import { readSets, type Sets } from "./settings.ts";
import type { Statement } from "./statement.ts";

/** One query as HTTP gave it. */
export interface EngineRequest {
  readonly statement: Statement;
  readonly format: string;
  readonly sets: Sets;
  readonly database: string;
  /** What an insert brings; empty for everything else. */
  readonly rows: Body;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Where a request goes, and the parameters in its URL. */
export interface Target {
  readonly path: string;
  readonly params: URLSearchParams;
}

/** Not by the URL class: our own client writes nothing that it would have to make regular, and the parameters are several KB. */
export function findTarget(url: string): Target {
  const at = url.indexOf("?");
  return at < 0
    ? { path: url, params: new URLSearchParams() }
    : { path: url.slice(0, at), params: new URLSearchParams(url.slice(at + 1)) };
}

const FORMAT_NAME = /^[A-Za-z0-9_]+$/;

export async function readRequest(
  request: IncomingMessage,
  target: Target,
  limits: EngineLimits,
  readStatement: ReadStatement,
): Promise<EngineRequest> {
  const { params, body } = await readForm(request, target, limits);
  refuseUnsupported(params);
  const sets = readSets(params);
  const settings = new Map(sets.settings);
  // As the server does: a GET can be cached and repeated, so it must not change anything.
  if (request.method === "GET" && !settings.has("readonly")) settings.set("readonly", "2");
  const { statement, rows } = locate(params.get("query") ?? "", body, limits, readStatement);
  const asked = statement.format ?? headerOf(request.headers, "x-clickhouse-format") ?? params.get("default_format");
  const format = asked ?? (statement.kind === "insert" ? "Values" : "TabSeparated");
  if (!FORMAT_NAME.test(format)) {
    throw new EngineException(73, "UNKNOWN_FORMAT", `Unknown format ${JSON.stringify(format)}.`);
  }
  const database = headerOf(request.headers, "x-clickhouse-database") ?? params.get("database") ?? "";
  return { statement, format, sets: { params: sets.params, settings }, database, rows };
}

/**
 * The statement is the `query` parameter followed by the body. When the parameter alone is an INSERT, the whole body is
 * its rows and is not looked at.
 */
function locate(
  query: string,
  body: Body,
  limits: EngineLimits,
  readStatement: ReadStatement,
): { statement: Statement; rows: Body } {
  const bytes = Buffer.from(query);
  if (/^\s*insert\b/i.test(query)) {
    const statement = readStatement(bytes);
    if (statement.kind === "insert") {
      const inline = bytes.subarray(statement.dataStart);
      return { statement, rows: inline.length === 0 ? body : withHead(body, Buffer.concat([inline, body.head])) };
    }
  }
  const sql = query === "" ? body.head : Buffer.concat([bytes, Buffer.from("\n"), body.head]);
  const statement = readStatement(sql);
  if (statement.kind === "insert") return { statement, rows: withHead(body, sql.subarray(statement.dataStart)) };
  if (!body.ended || sql.length > limits.statementBytes) {
    const message = `Syntax error: Max query size exceeded (${limits.statementBytes} bytes).`;
    throw new EngineException(62, "SYNTAX_ERROR", message);
  }
  return { statement, rows: EMPTY_BODY };
}

async function readForm(request: IncomingMessage, target: Target, limits: EngineLimits) {
  if (request.method === "GET") return { params: target.params, body: EMPTY_BODY };
  const body = await receiveBody(request, limits.statementBytes, limits.insertBytes);
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return { params: target.params, body };
  // The client moves parameters that are too long for a URL into a form: query and param_* fields.
  if (!body.ended) throw new EngineException(307, "QUERY_IS_TOO_LARGE", "The form with the query is too large.");
  const form = await new Response(new Uint8Array(body.head), { headers: { "content-type": type } }).formData();
  const params = new URLSearchParams(target.params);
  for (const [name, value] of form) if (typeof value === "string") params.append(name, value);
  return { params, body: EMPTY_BODY };
}

function refuseUnsupported(params: URLSearchParams): void {
  for (const name of ["compress", "decompress"]) {
    if (params.get(name) === "1") {
      throw new EngineException(48, "NOT_IMPLEMENTED", `${name}=1 is not supported; use HTTP compression.`);
    }
  }
  const role = params.get("role");
  if (role !== null) throw new EngineException(511, "UNKNOWN_ROLE", `There is no role ${JSON.stringify(role)}.`);
}

export function queryId({ params }: Target): string {
  const asked = params.get("query_id") ?? "";
  // It goes back in a header: a line end or a control character in it would end the header.
  return /^[\x20-\x7e]{1,200}$/.test(asked) ? asked : randomUUID();
}

export type IsAllowed = (headers: IncomingHttpHeaders, target: Target) => boolean;

/** Headers first, then basic, then the URL: as the server does. Both sides are hashed, so the time tells nothing. */
export function createIsAllowed(expected: Credentials): IsAllowed {
  const username = digest(expected.username);
  const password = digest(expected.password);
  return (headers, target) => {
    const given = givenCredentials(headers, target);
    const isUser = timingSafeEqual(digest(given.username), username);
    return timingSafeEqual(digest(given.password), password) && isUser;
  };
}

function givenCredentials(headers: IncomingHttpHeaders, { params }: Target): Credentials {
  const user = headerOf(headers, "x-clickhouse-user");
  const key = headerOf(headers, "x-clickhouse-key");
  if (user !== undefined || key !== undefined) return { username: user ?? "default", password: key ?? "" };
  const basic = /^basic\s+(.+)$/i.exec(headers.authorization ?? "")?.[1];
  if (basic !== undefined) {
    const [username = "", ...rest] = Buffer.from(basic, "base64").toString().split(":");
    return { username, password: rest.join(":") };
  }
  return { username: params.get("user") ?? "default", password: params.get("password") ?? "" };
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
