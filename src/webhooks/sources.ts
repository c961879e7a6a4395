/** THE table of sources: the kinds of objects whose events people subscribe to, and what the outbox must know of each. */
import type { EventType } from "../contract/webhook-events.ts";
import type { Reader } from "../control/store.ts";

/** Its events are those that people subscribe to (`recordEvent`). */
export interface FormSource {
  readonly kind: "form";
  readonly id: string;
}

/** Its targets are recipients, which get every message (`recordMessage`). */
interface MessageSource {
  readonly kind: "alert" | "report_schedule" | "mail_address";
  readonly id: string;
}

export type Source = FormSource | MessageSource;

type Body = Record<string, unknown>;

interface SourceRules {
  /** The fields that a thin payload keeps. */
  readonly thinFields: readonly string[];
  /** Where a client fetches what a thin payload leaves out. */
  fetchPath(id: string, body: Body): string;
  /** The body of a test event, marked with `isTest`. */
  sample(db: Reader, workspaceId: string, id: string, type: EventType, nowMs: number): Promise<Body>;
}

export const SOURCES: Readonly<Record<FormSource["kind"], SourceRules>> = {
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

export function ofForm(formId: string): FormSource {
  return { kind: "form", id: formId };
}

export function ofAlert(alertId: string): Source {
  return { kind: "alert", id: alertId };
}

export function ofSchedule(scheduleId: string): Source {
  return { kind: "report_schedule", id: scheduleId };
}

export function ofMailAddress(addressId: string): Source {
  return { kind: "mail_address", id: addressId };
}
