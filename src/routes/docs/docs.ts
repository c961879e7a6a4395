import { ApiError } from "../../contract/errors.ts";
import { Type } from "../../contract/type.ts";
import { JSON_TYPE } from "../../http/headers.ts";
import { type Answer, type Route, readRoute } from "../../http/route.ts";
import { apiPage } from "./api-page.ts";
import { errorsPage } from "./errors-page.ts";
import { openGuides } from "./guides.ts";

/** Only inline style; nothing is loaded. */
const PAGE_HEADERS = {
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "public, max-age=300",
};

/**
 * The documentation that the service serves. `openapi` is a function, because addresses are known only after the ports
 * are open.
 */
export function docsRoutes({ openapi }: { openapi: () => object }): Route[] {
  const common = { method: "GET", tag: "Documentation", access: "open", perReader: true } as const;
  const docsPage = onceFor(apiPage);
  const documentText = onceFor((document) => JSON.stringify(document));
  const errors = errorsPage();
  const guides = openGuides();
  return [
    readRoute({
      ...common,
      path: "/docs",
      operationId: "getDocs",
      summary: "This interface as a readable page",
      answers: { 200: "text/html" },
      handle: async () => htmlAnswer(docsPage(openapi())),
    }),
    readRoute({
      ...common,
      path: "/docs/errors",
      operationId: "getErrorDocs",
      summary: "Every error code, with what to do about it",
      answers: { 200: "text/html" },
      handle: async () => htmlAnswer(errors),
    }),
    readRoute({
      ...common,
      path: "/docs/guides",
      operationId: "getGuides",
      summary: "The list of the guides",
      answers: { 200: "text/html" },
      handle: async () => guideAnswer(guides.index()),
    }),
    readRoute({
      ...common,
      path: "/docs/guides/:guideId",
      operationId: "getGuide",
      summary: "A guide, such as metrics-definitions",
      params: GuideParams,
      answers: { 200: "text/html" },
      handle: async ({ parts: { params } }) => guideAnswer(guides.find(params.guideId)),
    }),
    readRoute({
      ...common,
      path: "/openapi.json",
      operationId: "getOpenApi",
      summary: "This interface as OpenAPI 3.1",
      answers: { 200: "application/json" },
      handle: async () => ({ status: 200, text: documentText(openapi()), contentType: JSON_TYPE }),
    }),
  ];
}

/** Rendered once for each document: the page took 12 ms, the text 6, at every view. */
function onceFor(render: (document: object) => string): (document: object) => string {
  const texts = new WeakMap<object, string>();
  return (document) => {
    const text = texts.get(document) ?? render(document);
    texts.set(document, text);
    return text;
  };
}

const GuideParams = Type.Object({ guideId: Type.String({ maxLength: 64 }) });

function guideAnswer(text: string | undefined): Answer {
  if (text === undefined) throw new ApiError("NOT_FOUND", "There is no such guide");
  return htmlAnswer(text);
}

function htmlAnswer(text: string): Answer {
  return { status: 200, text, contentType: "text/html; charset=utf-8", headers: PAGE_HEADERS };
}
