import { withoutReferences } from "../../http/openapi-names.ts";
import { page, withCode } from "../../http/page-layout.ts";
import { type Html, html } from "../../lib/html.ts";

/** The parts of our OpenAPI document that the page shows. */
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: Record<string, unknown>[];
  servers?: { url: string }[];
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Record<string, unknown> }[];
  requestBody?: { content: Record<string, { schema: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: unknown }> }>;
}

interface Document {
  info: { version: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
}

/** A page for people, from the same document that tools read. */
export function apiPage(openapi: object): string {
  const document = withoutReferences(openapi) as unknown as Document;
  const base = document.servers[0]?.url ?? "";
  const groups = new Map<string, Html[]>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const tag = operation.tags[0] ?? "Other";
      groups.set(tag, [...(groups.get(tag) ?? []), renderOperation(base, path, method, operation)]);
    }
  }
  return page(
    "API",
    html`<h1>Sextant API</h1>
<p>${document.info.description} <span class="soft">Version ${document.info.version}, at <code>${base}</code>.</span></p>
<p>Workspace API keys go into <code>Authorization: Bearer</code> on <code>/v0/</code> and into <code>x-api-key</code> on <code>/api/</code>. Errors are explained on <a href="/docs/errors">their own page</a>; tools read <a href="/openapi.json">openapi.json</a>.</p>
${[...groups].map(([tag, operations]) => html`<section aria-label="${tag}"><h2>${tag}</h2>${operations}</section>`)}`,
  );
}

function renderOperation(base: string, path: string, method: string, operation: Operation): Html {
  const verb = method.toUpperCase();
  const open = operation.security?.length === 0;
  return html`
<article id="${operation.operationId}">
<header><span class="method">${verb}</span><h3><code>${path}</code></h3></header>
<p><strong>${operation.summary}</strong></p>
${operation.description !== undefined && html`<p>${withCode(operation.description)}</p>`}
${operation.parameters.length > 0 && renderParameters(operation)}
<details><summary>Answers and example</summary>
<ul>${Object.entries(operation.responses).map(([status, answer]) => html`<li><code>${status}</code> ${answer.description}</li>`)}</ul>
<pre tabindex="0"><code>${curl(operation.servers?.[0]?.url ?? base, path, verb, open)}</code></pre>
${renderSchema("Request body", operation.requestBody?.content["application/json"]?.schema)}
${renderSchema("Answer", operation.responses["200"]?.content?.["application/json"]?.schema)}
</details>
</article>`;
}

function renderParameters(operation: Operation): Html {
  const rows = operation.parameters.map(
    (p) =>
      html`<tr><td><code>${p.name}</code></td><td>${p.in}${p.required ? ", required" : ""}</td><td>${withCode(p.description ?? "")} <span class="soft">${bounds(p.schema)}</span></td></tr>`,
  );
  return html`<div class="scroll"><table><thead><tr><th scope="col">Parameter</th><th scope="col">In</th><th scope="col">About</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function bounds(schema: Record<string, unknown>): string {
  const shown: [string, string][] = [
    ["default", "default"],
    ["minimum", "at least"],
    ["maximum", "at most"],
    ["maxLength", "at most characters:"],
    ["enum", "one of"],
  ];
  return shown
    .filter(([key]) => schema[key] !== undefined)
    .map(([key, label]) => `${label} ${[schema[key]].flat().join(", ")}`)
    .join("; ");
}

function renderSchema(title: string, schema: unknown): Html | undefined {
  if (schema === undefined) return undefined;
  return html`<p class="soft">${title} (JSON Schema)</p><pre tabindex="0"><code>${JSON.stringify(schema, null, 2)}</code></pre>`;
}

function curl(base: string, path: string, verb: string, open: boolean): string {
  const events = path === "/v0/events" || path === "/v0/raw_events";
  const header = path.startsWith("/api/")
    ? "x-api-key: $API_KEY"
    : `Authorization: Bearer ${events ? "$WRITE_KEY" : "$API_KEY"}`;
  const parts = [`curl ${verb === "GET" ? "" : `-X ${verb} `}"${base}${path}"`, ...(open ? [] : [`-H "${header}"`])];
  return parts.join(" \\\n  ");
}
