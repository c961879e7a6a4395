import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Chdb, Context, RawResult } from "./chdb.ts";

/**
 * The HTTP protocol of ClickHouse on loopback, as far as our own client uses it. The rows of an insert are the body,
 * with the statement in the URL; every other statement is the body, or in the URL of a GET. A response is complete
 * before its first byte is sent, where a server would stream it and could fail midway.
 */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Parameters are sent in the request line; ClickHouse's own limit for it is 1 MiB. */
const MAX_HEADER_BYTES = 1024 ** 2;
/** Longer than our client keeps an idle socket, so that always the client closes it. */
const KEEP_ALIVE_MS = 60_000;

export async function listen(chdb: Chdb, credentials: Credentials, port: number): Promise<number> {
  const options = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 };
  const server = createServer(options, (request, response) => void answer(chdb, credentials, request, response));
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function answer(
  chdb: Chdb,
  credentials: Credentials,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.on("error", () => response.destroy());
  const gone = new AbortController();
  response.once("close", () => gone.abort(new Error("the client went away")));
  try {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/ping") {
      response.end("Ok.\n");
      return;
    }
    if (!isAllowed(request, credentials)) {
      throw new Error(
        "Code: 516. DB::Exception: Authentication failed: wrong user or password. (AUTHENTICATION_FAILED)",
      );
    }
    await runStatement(chdb, request, searchParams, response, gone.signal);
  } catch (cause) {
    if (!response.destroyed) sendFailure(response, cause, chdb.version);
  }
}

async function runStatement(
  chdb: Chdb,
  request: IncomingMessage,
  url: URLSearchParams,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const context = readContext(url);
  // An incomplete body throws here: half an insert is never run.
  const body = await buffer(request);
  const inUrl = url.get("query");
  const sql = inUrl ?? body.toString();
  const [, head = sql, format = "TabSeparated"] = /^(.*)\bFORMAT\s+(\w+)\s*$/is.exec(sql) ?? [];
  if (isReadonly(context) && !/^(select|with|from|show|describe|desc|explain|exists)$/.test(firstWord(sql))) {
    // The engine's own readonly mode allows KILL QUERY, among others.
    throw new Error("Code: 164. DB::Exception: Cannot execute query in readonly mode. (READONLY)");
  }
  if (inUrl !== null && firstWord(sql) === "insert") {
    const result = await chdb.insert(head, format, body, context);
    send(response, format, Buffer.alloc(0), result, result.rowsRead);
  } else {
    const result = await chdb.query(sql, context, gone);
    send(response, format, Buffer.from(result.bytes), result, 0);
  }
}

/** URL parameters of HTTP itself, which would be unknown settings to the engine. */
const HTTP_ONLY = new Set(["query", "query_id", "database", "default_format", "wait_end_of_query"]);

function readContext(url: URLSearchParams): Context {
  const settings = new Map(url.entries().filter(([name]) => !HTTP_ONLY.has(name)));
  for (const name of settings.keys()) {
    if (!/^\w+$/.test(name)) throw new Error(`Code: 115. DB::Exception: Unknown setting '${name}' (UNKNOWN_SETTING)`);
  }
  return { database: url.get("database") ?? "", settings };
}

function isReadonly({ settings }: Context): boolean {
  return (settings.get("readonly") ?? "0") !== "0";
}

/** In lower case, without leading comments and brackets. */
function firstWord(sql: string): string {
  return /^(?:[\s(]|--.*\n|\/\*[\s\S]*?\*\/)*(\w*)/.exec(sql)?.[1]?.toLowerCase() ?? "";
}

function isAllowed(request: IncomingMessage, { username, password }: Credentials): boolean {
  const expected = Buffer.from(`${username}:${password}`).toString("base64");
  return request.headers.authorization === `Basic ${expected}`;
}

function send(response: ServerResponse, format: string, body: Buffer, result: RawResult, written: number): void {
  response.setHeader("Content-Type", contentType(format));
  response.setHeader("X-ClickHouse-Format", format);
  // ClickHouse gives all of them as strings.
  const summary = {
    read_rows: String(result.rowsRead),
    read_bytes: String(result.bytesRead),
    written_rows: String(written),
    elapsed_ns: String(Math.round(result.elapsed * 1e9)),
  };
  response.setHeader("X-ClickHouse-Summary", JSON.stringify(summary));
  response.end(body);
}

function contentType(format: string): string {
  if (/^JSON(Compact)?$/i.test(format)) return "application/json; charset=UTF-8";
  if (/^JSON\w*EachRow$/i.test(format)) return "application/x-ndjson; charset=UTF-8";
  return /^TabSeparated/i.test(format) ? "text/tab-separated-values; charset=UTF-8" : "application/octet-stream";
}

/**
 * The engine's own text, which begins with its code. Our client uses only the code, so every failure has the same
 * status.
 */
function sendFailure(response: ServerResponse, cause: unknown, version: string): void {
  const message = (cause instanceof Error ? cause.message : String(cause))
    // Prints an exception once that the engine wrapped in itself.
    .replace(/^(Code: \d+\. DB::Exception: )\1/, "$1")
    .replace(/ \(version [^)]*\)\. \([A-Z0-9_]+\)\s*$/, "");
  const code = /^Code: (\d+)\./.exec(message)?.[1];
  const text = code === undefined ? `Code: 1002. DB::Exception: ${message} (UNKNOWN_EXCEPTION)` : message;
  response.statusCode = code === "516" ? 403 : 500;
  response.setHeader("X-ClickHouse-Exception-Code", code ?? "1002");
  response.setHeader("Content-Type", "text/plain; charset=UTF-8");
  response.end(`${text} (version ${version})\n`);
}
