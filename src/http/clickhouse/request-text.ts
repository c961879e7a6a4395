/** The statement and the parameters of a request. */
import type { FastifyRequest } from "fastify";
import { is, tokenize } from "../../lib/sql-tokens.ts";
import { ClickHouseError } from "./errors.ts";

/**
 * Of a form of several parts. Nothing but a statement and its parameters is in one: files are refused. 16,500 parts
 * held the process for 2 to 5 s.
 */
const FORM_BYTES = 64 * 1024;
const FORM_PARTS = 200;

/** The URL is short and has few parameters here: head-size.ts refuses others before. */
export function queryOf({ url }: Pick<FastifyRequest, "url">): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start + 1));
}

/** The statement is in the URL, in the body, or one half in each. A form of several parts may carry parameters, too. */
export async function readText(request: FastifyRequest): Promise<{ query: URLSearchParams; text: string }> {
  const query = queryOf(request);
  const body = (request.body as Buffer | null | undefined) ?? Buffer.alloc(0);
  if (request.headers["content-encoding"] !== undefined || /^(?:1|true)$/.test(query.get("decompress") ?? ""))
    throw refuseCompressed(query.get("query") ?? "");
  const type = request.headers["content-type"] ?? "";
  if (!/^multipart\/form-data\b/i.test(type))
    return { query, text: [query.get("query") ?? "", body.toString("utf8")].filter((part) => part !== "").join("\n") };
  const parts = await readParts(body, type);
  // What the form says replaces what the URL says.
  const all = new URLSearchParams([...[...query].filter(([name]) => !parts.has(name)), ...parts]);
  return { query: all, text: all.get("query") ?? "" };
}

async function readParts(body: Buffer, type: string): Promise<Map<string, string>> {
  if (body.length > FORM_BYTES)
    throw new ClickHouseError("BAD_ARGUMENTS", `A form of several parts has at most ${FORM_BYTES} bytes here`);
  const parts = new Map<string, string>();
  for (const [name, value] of await parseForm(body, type)) {
    if (typeof value !== "string")
      throw new ClickHouseError("NOT_IMPLEMENTED", "External tables are not supported here");
    parts.set(name, value);
    if (parts.size > FORM_PARTS)
      throw new ClickHouseError("BAD_ARGUMENTS", `A form has at most ${FORM_PARTS} parts here`);
  }
  return parts;
}

async function parseForm(body: Buffer, type: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  } catch {
    throw new ClickHouseError("BAD_ARGUMENTS", "The form of several parts is not complete");
  }
}

/** The rows of an INSERT are packed, and its statement is in the URL. */
function refuseCompressed(statement: string): ClickHouseError {
  const [first] = (tokenize(statement.slice(0, MOST_HEAD_CHARS)) ?? []).filter(({ kind }) => kind !== "blank");
  if (is(first, "INSERT")) return new ClickHouseError("READONLY", "Cannot execute INSERT: this endpoint is readonly");
  return new ClickHouseError(
    "NOT_IMPLEMENTED",
    "Compressed requests are not supported: switch request compression off",
  );
}

/** Comments before the first word of a statement. */
const MOST_HEAD_CHARS = 4_096;
