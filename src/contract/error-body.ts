import type { Static } from "typebox";
import { type ApiError, docUrl, ERROR_CODES } from "./errors.ts";
import { Type } from "./type.ts";

/** The envelope of the contract's section 7. */
const ErrorObject = Type.Object(
  {
    code: Type.String({ enum: [...ERROR_CODES], description: "Stable; branch on it." }),
    message: Type.String({ description: "For people; the wording may change." }),
    doc_url: Type.String({ format: "uri", description: "The section of the errors page about this code." }),
    param: Type.Optional(Type.String({ description: "Dotted path of the offending request field." })),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "Code-specific extras." })),
  },
  { additionalProperties: false },
);

const ErrorBody = Type.Object({ error: ErrorObject }, { $id: "Error", additionalProperties: false });

const ApiErrorBody = Type.Object(
  { isSuccess: Type.Literal(false), message: Type.String(), error: ErrorObject },
  { $id: "ApiError", additionalProperties: false },
);

const EventsErrorBody = Type.Object(
  { success: Type.Literal(false), error: ErrorObject },
  { $id: "EventsError", additionalProperties: false },
);

/** The three error bodies: the plain envelope, that of /api/, and that of the events server. */
export type ErrorStyle = "plain" | "api" | "events";

export const ERROR_BODIES = { plain: ErrorBody, api: ApiErrorBody, events: EventsErrorBody } as const;

export function errorBody(style: ErrorStyle, publicApiUrl: string, failure: ApiError): object {
  const error: Static<typeof ErrorObject> = {
    code: failure.code,
    message: failure.message,
    doc_url: docUrl(publicApiUrl, failure.code),
    ...(failure.param === undefined ? {} : { param: failure.param }),
    ...(failure.details === undefined ? {} : { details: failure.details }),
  };
  switch (style) {
    case "plain":
      return { error };
    case "api":
      return { isSuccess: false, message: failure.message, error };
    case "events":
      return { success: false, error };
  }
}
