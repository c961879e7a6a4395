/**
 * ClickHouse's HTTP protocol for BI tools, at /clickhouse. JDBC drivers (Metabase, DBeaver) know no path, so a POST to /
 * is the same. Statements go the way of POST /v0/query: same tables, same check, same limits.
 */
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LIMITS } from "../../contract/limits.ts";
import { SQL_LIMITS } from "../../contract/query.ts";
import type { AuthenticateBi } from "../../control/authenticate.ts";
import { type BiToken, findUnrecordedHour, recordUse } from "../../control/bi-tokens.ts";
import type { RateLimiter, RatePolicy } from "../../control/rate-limit.ts";
import { getReportProjects, type ReportProject } from "../../control/report-projects.ts";
import type { ControlStore } from "../../control/store.ts";
import type { Clock } from "../../lib/clock.ts";
import { tolerate } from "../../lib/tolerate.ts";
import type { AnswerThread } from "../../query/sql/answer-thread.ts";
import { readSqlRows, type SqlRows } from "../../query/sql/rows.ts";
import type { RunSql } from "../../query/sql/run-sql.ts";
import { SQL_SCHEMA } from "../../query/sql/schema.ts";
import type { FailedAuth } from "../auth.ts";
import { chargeEngine } from "../charge.ts";
import type { ErrorEdge } from "../errors.ts";
import { refuseLongUrl } from "../head-size.ts";
import { rateExceeded, rateHeaders } from "../rate-limit.ts";
import { authenticate, namesOf, readDatabase } from "./credentials.ts";
import { encodeRows } from "./encode-answer.ts";
import { encodeAnswer } from "./encode-large.ts";
import { CLICKHOUSE_CODES, ClickHouseError, errorText, fromApiError } from "./errors.ts";
import { findFormat } from "./formats/index.ts";
import { queryOf, readText } from "./request-text.ts";
import { type SendOptions, sendSqlAnswer, toEncodeOptions } from "./send-answer.ts";
import { readSettings, settingsOf } from "./settings.ts";
import { type Plan, readStatement } from "./statement.ts";
import type { SystemTable } from "./system-table.ts";
import { createStatement, DESCRIBE_COLUMNS, SYSTEM_TABLE_NAMES, systemTables } from "./system-tables.ts";

export interface ClickHouseDeps {
  auth: { authenticate: AuthenticateBi; failures: FailedAuth };
  store: ControlStore;
  clock: Clock;
  limiter: RateLimiter;
  ratePolicy: RatePolicy;
  runSql: RunSql;
  /** Encodes large answers. */
  answerThread: AnswerThread;
}

export const CLICKHOUSE_ROUTES = [
  { method: "GET", path: "/clickhouse" },
  { method: "POST", path: "/clickhouse" },
  { method: "GET", path: "/clickhouse/ping" },
  { method: "POST", path: "/" },
  { method: "GET", path: "/ping" },
] as const;

interface Caller {
  readonly token: BiToken;
  readonly user: string;
}

const callers = new WeakMap<FastifyRequest, Caller>();

export function mountClickHouse(app: FastifyInstance, deps: ClickHouseDeps, edge: ErrorEdge): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The body is the statement, whatever its type: curl calls it a form, and Go sends no type at all.
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body: Buffer, done) => done(null, body));
    scope.setErrorHandler((cause, request, reply) => sendFailure(edge, request, reply, cause));
    const ping = async (_request: FastifyRequest, reply: FastifyReply) => reply.type("text/plain").send("Ok.\n");
    for (const { method, path } of CLICKHOUSE_ROUTES) {
      if (path.endsWith("/ping")) scope.route({ method, url: path, handler: ping });
      else
        scope.route({
          method,
          url: path,
          // Before the body is read, like every credential.
          onRequest: (request, reply) => admit(deps, request, reply),
          handler: (request, reply) => answer(deps, request, reply),
        });
    }
  });
}

async function admit(deps: ClickHouseDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers({
    "X-ClickHouse-Server-Display-Name": "sextant",
    "X-ClickHouse-Timezone": "UTC",
    "X-ClickHouse-Query-Id": request.id,
  });
  refuseLongUrl(request.url, LIMITS.clickhouseUrlChars);
  const caller = await authenticate(deps.auth, request.headers, request.url, request.ip);
  reply.header("X-ClickHouse-Query-Id", readQueryId(request, queryOf(request)));
  const verdict = await deps.limiter.take(caller.token.workspaceId, deps.ratePolicy);
  reply.headers(rateHeaders(verdict));
  if (!verdict.allowed) throw fromApiError(rateExceeded());
  callers.set(request, caller);
  const hour = findUnrecordedHour(caller.token, deps.clock.nowMs());
  if (hour === undefined) return;
  const { workspaceId, id } = caller.token;
  const recorded = deps.store.write((tx) => recordUse(tx, workspaceId, id, hour));
  await tolerate(recorded, request.log, "a query is answered also if its hour is not recorded");
}

function readQueryId(request: FastifyRequest, query: URLSearchParams): string {
  const asked = query.get("query_id") ?? "";
  return /^[\w.:-]{1,128}$/.test(asked) ? asked : request.id;
}

async function answer(deps: ClickHouseDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { token, user } = callers.get(request) as Caller;
  const { query, text } = await readText(request);
  const database = readDatabase(token.projectId, request.headers, query);
  const session = { database, databases: namesOf(token.projectId), user };
  const statement = readStatement(text, query, session, SYSTEM_TABLE_NAMES);
  const settings = readSettings([...settingsOf(query), ...statement.settings]);
  const options: SendOptions = {
    format: getFormat(statement.format, request, query),
    packing: readPacking(request, query),
    mostRows: settings.mostRows,
    quoteInt64: settings.quoteInt64,
    protocolRevision: Number(query.get("client_protocol_version") ?? 0) || 0,
  };
  if (statement.plan.kind === "nothing") return reply.code(200).type("text/plain").send("");
  const found = await runPlan(deps, request, reply, token, statement.plan, database);
  const encoding = toEncodeOptions(options);
  const pieces =
    found instanceof Readable ? encodeAnswer(deps.answerThread, found, encoding) : encodeRows(found, encoding);
  return sendSqlAnswer(reply, pieces, options);
}

function getFormat(named: string | undefined, request: FastifyRequest, query: URLSearchParams): SendOptions["format"] {
  const header = request.headers["x-clickhouse-format"];
  const name = named ?? query.get("default_format") ?? (Array.isArray(header) ? header[0] : header) ?? "TabSeparated";
  const format = findFormat(name);
  if (format === undefined)
    throw new ClickHouseError("UNKNOWN_FORMAT", `Format ${name.slice(0, 40)} is not supported here; try JSON or CSV`);
  return format;
}

function readPacking(request: FastifyRequest, query: URLSearchParams): SendOptions["packing"] {
  const isSet = (name: string) => /^(?:1|true)$/.test(query.get(name) ?? "");
  if (isSet("compress")) return "lz4";
  const accepted = String(request.headers["accept-encoding"] ?? "");
  return isSet("enable_http_compression") && /\bgzip\b/.test(accepted) ? "gzip" : "none";
}

async function runPlan(
  deps: ClickHouseDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  token: BiToken,
  plan: Exclude<Plan, { kind: "nothing" }>,
  database: string,
): Promise<SqlRows | Readable> {
  const system = systemTables(database, SQL_SCHEMA.tables, SQL_SCHEMA.functions);
  if (plan.kind === "describe-table") return describeTable(system, plan.table);
  if (plan.kind === "create-table") return showCreate(system, plan.table, database);
  const [project] = await getReportProjects(deps.store.read, token, token.projectId);
  const owner = { workspaceId: token.workspaceId, project: project as ReportProject };
  const gone = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  const sql = plan.kind === "describe" ? `SELECT * FROM (${plan.sql}) LIMIT 0` : plan.sql;
  const relations = system.filter(({ name }) => sql.includes(`"${name}"`));
  const question = { sql, format: "rows", defaultRows: SQL_LIMITS.rows.most, relations } as const;
  const charge = (engineMs: number) => chargeEngine(deps, request, reply, token.workspaceId, engineMs);
  const { body } = await deps.runSql(owner, question, gone.signal, charge);
  if (plan.kind === "query") return body;
  const found = await readSqlRows(body);
  // To its end, which frees the slot.
  for await (const batch of found.rows) if (batch.length > 0) break;
  return describeColumns(found.columns);
}

function showCreate(system: readonly SystemTable[], name: string, database: string): SqlRows {
  const found = SQL_SCHEMA.tables.find((one) => one.name === name);
  if (found === undefined && !system.some((one) => one.name === name))
    throw new ClickHouseError("UNKNOWN_TABLE", `Table ${name.slice(0, 80)} does not exist`);
  if (found === undefined) throw new ClickHouseError("NOT_IMPLEMENTED", `${name} is not made by a statement`);
  const rows = [[createStatement(database, found)]];
  return { columns: [{ name: "statement", type: "String" }], rows: Readable.from([rows]) };
}

function describeTable(system: readonly SystemTable[], name: string): SqlRows {
  const table = [...SQL_SCHEMA.tables, ...system].find((one) => one.name === name);
  if (table === undefined) throw new ClickHouseError("UNKNOWN_TABLE", `Table ${name.slice(0, 80)} does not exist`);
  return describeColumns(table.columns);
}

function describeColumns(
  columns: readonly { readonly name: string; readonly type: string; readonly description?: string }[],
): SqlRows {
  const rows = columns.map(({ name, type, description = "" }) => [name, type, "", "", description, "", ""]);
  return { columns: DESCRIBE_COLUMNS, rows: Readable.from([rows]) };
}

function sendFailure(edge: ErrorEdge, request: FastifyRequest, reply: FastifyReply, cause: unknown): FastifyReply {
  const failure = cause instanceof ClickHouseError ? cause : fromApiError(edge.translate(request, cause));
  const { code, status } = CLICKHOUSE_CODES[failure.code];
  return reply
    .code(status)
    .headers({ ...failure.headers, "X-ClickHouse-Exception-Code": String(code) })
    .type("text/plain; charset=UTF-8")
    .send(errorText(failure));
}
