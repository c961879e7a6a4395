/** Calls the public API of the service that served this page, with the cookie of the session. */
import { RequestFailed } from "./failure.ts";
import { turns } from "./turns.ts";

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ApiRequest {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
  /** Where it is another one than that of the page. */
  workspace?: string;
  /** Asked at once, whatever else is on its way: the headline, and what a page needs before it is drawn. */
  isFirst?: boolean;
  /** Integers beyond 2^53 come as texts, because a number would round them. */
  exactIntegers?: boolean;
  /** Of a public link: without the cookie, and with what its password gave. */
  link?: { opening: string | undefined };
}

/** The service's root, below which `/v0` and `/api` lie: the prefix of a proxy is in `<base href>`. */
export function serviceUrl(path: string, query: Query = {}): URL {
  const url = new URL(path.replace(/^\//, ""), document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  return url;
}

/** Sent with every request, because a user may be in several workspaces. The shell sets it before it draws a page. */
let workspaceId: string | undefined;

export function chooseWorkspace(id: string): void {
  workspaceId = id;
}

/** Reads wait for their turn (turns.ts), a write for nothing. */
export async function call<T>(request: ApiRequest): Promise<T> {
  const { method = "GET", isFirst = false, signal } = request;
  const ask = () => callNow<T>(request);
  if (method !== "GET") return ask();
  return isFirst ? turns.first(ask) : turns.take(ask, signal);
}

async function callNow<T>(request: ApiRequest): Promise<T> {
  const { method = "GET", path, query, body, signal, isFirst = false, exactIntegers = false, link } = request;
  const { workspace = workspaceId } = request;
  const response = await send(serviceUrl(path, query), {
    method,
    credentials: link === undefined ? "same-origin" : "omit",
    // It takes the next connection that is free.
    priority: isFirst ? "high" : "auto",
    headers: {
      Accept: "application/json",
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(workspace === undefined ? {} : { "X-Sextant-Workspace": workspace }),
      ...(link?.opening === undefined ? {} : { Authorization: `Bearer ${link.opening}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  if (response.status === 204) return undefined as T;
  const answer = await readJson(response, exactIntegers);
  if (!response.ok) throw failureOf(response, answer);
  return answer as T;
}

/** A part of a file, as it is. The browser reads it from the disk while it is sent. */
export async function sendBytes<T>({
  path,
  query,
  part,
  signal,
}: Pick<ApiRequest, "path" | "query"> & { part: Blob; signal: AbortSignal }): Promise<T> {
  const response = await send(serviceUrl(path, query), {
    method: "PUT",
    credentials: "same-origin",
    headers: {
      Accept: "application/json",
      "Content-Type": "application/octet-stream",
      ...(workspaceId === undefined ? {} : { "X-Sextant-Workspace": workspaceId }),
    },
    body: part,
    signal,
  });
  const answer = await readJson(response, false);
  if (!response.ok) throw failureOf(response, answer);
  return answer as T;
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new RequestFailed(0, "UNREACHABLE", "The service does not answer.");
  }
}

async function readJson(response: Response, exactIntegers: boolean): Promise<unknown> {
  try {
    return exactIntegers ? JSON.parse(await response.text(), keepInteger) : await response.json();
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    // A proxy in front of the service answers with a page of its own.
    return undefined;
  }
}

/** Browsers from before 2025 do not pass the source text, and show a rounded number. */
function keepInteger(_name: string, value: unknown, context?: { source?: string }): unknown {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded ? (context?.source ?? value) : value;
}

function failureOf(response: Response, answer: unknown): RequestFailed {
  const error = (answer as { error?: Record<string, unknown> } | undefined)?.error;
  const requestId = response.headers.get("x-request-id") ?? undefined;
  if (typeof error !== "object" || error === null) {
    return new RequestFailed(response.status, "UNREADABLE", `The answer was ${response.status}.`, { requestId });
  }
  const details = (error.details ?? {}) as Record<string, unknown>;
  const param = typeof error.param === "string" ? error.param : undefined;
  return new RequestFailed(response.status, String(error.code), String(error.message), { param, details, requestId });
}

/** The same request for a terminal, with the key left out. */
export function curlLine({ method = "GET", path, query = {}, body }: ApiRequest): string {
  // Beside a body, curl would send the parameters in its place.
  const isGet = method === "GET";
  const url = serviceUrl(path, isGet ? {} : query);
  const parts = [`curl -sS ${isGet ? "-G " : `-X ${method} `}${quote(url.href)}`];
  parts.push(`-H "Authorization: Bearer $SEXTANT_API_KEY"`);
  for (const [name, value] of isGet ? Object.entries(query) : []) {
    if (value !== undefined && value !== "") parts.push(`--data-urlencode ${quote(`${name}=${value}`)}`);
  }
  if (body !== undefined) parts.push(`-H "Content-Type: application/json"`, `-d ${quote(JSON.stringify(body))}`);
  return parts.join(" \\\n  ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
