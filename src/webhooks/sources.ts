/** THE table of sources: the kinds of objects that cause events, and what the outbox must know about each. */
import type { Selectable } from "kysely";
import type { EventType } from "../contract/webhook-events.ts";
import type { ControlSchema } from "../control/schema.ts";
import type { Reader } from "../control/store.ts";

type SourceKind = Selectable<ControlSchema["webhooks"]>["source_kind"];

export interface Source {
  readonly kind: SourceKind;
  readonly id: string;
}

type Body = Record<string, unknown>;

interface SourceRules {
  /** The fields that a thin payload keeps. */
  readonly thinFields: readonly string[];
  /** Where a client fetches what a thin payload leaves out. */
  fetchPath(id: string, body: Body): string;
  /** The body of a test event, marked with `isTest`. */
  sample(db: Reader, workspaceId: string, id: string, type: EventType, nowMs: number): Promise<Body>;
}

export const SOURCES: Readonly<Record<SourceKind, SourceRules>> = {
  form: {
    // Answer keys are snake_case, so no answer can have one of these names or marks.
    thinFields: ["id", "formId", "formTitle", "submissionId", "submittedAt", "updatedAt"],
    fetchPath(formId, { submissionId }) {
      const form = `/api/forms/${encodeURIComponent(formId)}`;
      return typeof submissionId === "string" ? `${form}/submissions/${encodeURIComponent(submissionId)}` : form;
    },
    async sample(db, workspaceId, formId, type, nowMs) {
      const { title } = await db
        .selectFrom("forms")
        .select("title")
        .where("id", "=", formId)
        .where("workspace_id", "=", workspaceId)
        .executeTakeFirstOrThrow();
      const at = new Date(nowMs).toISOString();
      return type === "FORM_SUBMISSION"
        ? { id: "test", formId, formTitle: title, submissionId: "test", submittedAt: at, isTest: true }
        : { formId, formTitle: title, updatedAt: at, changes: {}, isTest: true };
    },
  },
};

export function ofForm(formId: string): Source {
  return { kind: "form", id: formId };
}
