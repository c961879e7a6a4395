import { SQL_LIMITS } from "./query.ts";
import { Type } from "./type.ts";

export const SAVED_QUERY_LIMITS = {
  nameChars: 120,
  /** As many as a list returns. With the longest texts of ASCII the answer has 6.5 MB. */
  perProject: 200,
} as const;

const projectId = Type.String({ minLength: 1, maxLength: 128, description: "The project." });
const name = Type.String({
  minLength: 1,
  maxLength: SAVED_QUERY_LIMITS.nameChars,
  // Something to read, in one line.
  pattern: "^(?=.*\\S)[^\\x00-\\x1f]*$",
  description: "What it answers.",
  example: "Revenue by day",
});
const query = Type.String({
  minLength: 1,
  maxLength: SQL_LIMITS.chars,
  // PostgreSQL does not store NUL.
  pattern: "^[^\\x00]*$",
  description: "The text. It is checked when it runs.",
  example: "SELECT toDate(timestamp) AS day, sum(revenue) AS revenue FROM events GROUP BY day ORDER BY day",
});

export const SavedQueryListQuery = Type.Object({
  project_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: "The project, for a key of a workspace with several projects.",
    }),
  ),
});

export const SavedQueryParams = Type.Object({ savedQueryId: Type.String({ minLength: 1, maxLength: 128 }) });

export const SavedQueryBody = Type.Object({ project_id: projectId, name, query });

export const SavedQueryChanges = Type.Object(
  { name: Type.Optional(name), query: Type.Optional(query) },
  { minProperties: 1 },
);

export const SavedQueryView = Type.Object({
  id: Type.String(),
  project_id: Type.String(),
  name: Type.String(),
  query: Type.String(),
  created_by: Type.Union([Type.Object({ id: Type.String(), name: Type.String() }), Type.Null()], {
    description: "The member who saved it; null for an API key.",
  }),
  created_at: Type.String({ format: "date-time" }),
  updated_at: Type.String({ format: "date-time" }),
});

export const SavedQueryDeletedAnswer = Type.Object({ id: Type.String() });

export const SavedQueryListAnswer = Type.Object({ data: Type.Array(SavedQueryView) });
