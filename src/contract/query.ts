import { Type } from "./type.ts";

export const SQL_LIMITS = {
  /** The parser takes 40 ms for 18,000 characters of `AND` and, because it is quadratic there, 1.1 s for 120,000. */
  chars: 32_768,
  rows: { default: 100, most: 1_000_000 },
  answerBytes: 256 * 1024 ** 2,
} as const;

const SQL_FORMATS = ["json", "ndjson", "csv", "parquet"] as const;
export type SqlFormat = (typeof SQL_FORMATS)[number];

export const SqlBody = Type.Object({
  query: Type.String({
    description: "One SELECT or WITH statement. Without LIMIT: 100 rows; at most 1,000,000.",
    minLength: 1,
    maxLength: SQL_LIMITS.chars,
    example: "SELECT event, count() AS n FROM events GROUP BY event ORDER BY n DESC LIMIT 10",
  }),
});

export const SqlQuery = Type.Object({
  format: Type.String({ enum: [...SQL_FORMATS], default: "json", description: "Format of the answer." }),
  project_id: Type.Optional(
    Type.String({
      description: "The project, for a key of a workspace with several projects.",
      minLength: 1,
      maxLength: 128,
    }),
  ),
});

export const SqlAnswer = Type.Object({
  data: Type.Array(Type.Object({}, { additionalProperties: true })),
  total: Type.Integer({ description: "Rows without LIMIT and OFFSET." }),
  limit: Type.Integer(),
  offset: Type.Integer(),
  has_more: Type.Boolean(),
});

const named = { name: Type.String(), description: Type.String() };

export const SqlSchema = Type.Object({
  tables: Type.Array(Type.Object({ ...named, columns: Type.Array(Type.Object({ ...named, type: Type.String() })) })),
  functions: Type.Array(Type.Object({ ...named, kind: Type.String() })),
});
