import { ERRORS } from "../../contract/errors.ts";
import { page, withCode } from "../../http/page-layout.ts";
import { html } from "../../lib/html.ts";

/** The page that every doc_url links to: one anchor per code, from the one table. */
export function errorsPage(): string {
  const sections = Object.entries(ERRORS).map(
    ([code, error]) => html`
<h2 id="${code.toLowerCase()}"><code>${code}</code></h2>
<p><strong>${error.title}.</strong> <span class="soft">HTTP ${error.status} · ${error.retry ? "safe to retry" : "do not retry unchanged"}</span></p>
<p>${withCode(error.advice)}</p>`,
  );
  return page(
    "Errors",
    html`<h1>Errors</h1>
<p>Every answer other than 2xx carries <code>error.code</code>, <code>error.message</code> and <code>error.doc_url</code>, and where they help <code>error.param</code> and <code>error.details</code>. Branch on the code: it is stable. New codes may appear; treat one you do not know like its HTTP status.</p>
<p>429, 503 and other 5xx answers are safe to retry with exponential backoff. Every answer has an <code>X-Request-Id</code>; the service's log knows it.</p>
${sections}`,
  );
}
