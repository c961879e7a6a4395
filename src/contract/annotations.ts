import { day, PROJECT } from "./analytics.ts";
import { Type } from "./type.ts";

export const ANNOTATION_LIMITS = {
  noteChars: 300,
  /** As many as a list returns: charts need no pages. */
  perProject: 1_000,
} as const;

export const AnnotationQuery = Type.Object({
  project_id: PROJECT,
  date_from: day("First day, UTC, included."),
  date_to: day("Last day, UTC, included."),
});

export const AnnotationParams = Type.Object({ annotationId: Type.String({ minLength: 1, maxLength: 128 }) });

export const AnnotationBody = Type.Object({
  project_id: Type.String({ minLength: 1, maxLength: 128 }),
  date: Type.String({ format: "date", description: "The day, UTC.", example: "2026-03-31" }),
  note: Type.String({
    minLength: 1,
    maxLength: ANNOTATION_LIMITS.noteChars,
    // PostgreSQL does not store NUL.
    pattern: "^[^\\x00]*$",
    description: "What happened.",
  }),
});

export const AnnotationView = Type.Object({
  id: Type.String(),
  project_id: Type.String(),
  date: Type.String({ format: "date" }),
  note: Type.String(),
  created_at: Type.String({ format: "date-time" }),
});

export const AnnotationDeletedAnswer = Type.Object({ id: Type.String() });

export const AnnotationListAnswer = Type.Object({ data: Type.Array(AnnotationView) });
