/**
 * A saved segment is exactly its filters: a question that names one is read again, with its filters beside those of the
 * client. Reports (ask.ts) and the routes of other questions call this, and nothing else looks a segment up.
 */
import { validationError } from "../../contract/validation-error.ts";
import type { ReportOwner } from "../report/question.ts";

/** The filters of a segment. Throws NOT_FOUND for one that is in none of the owner's projects. */
export type FindSegment = (owner: ReportOwner, segmentId: string) => Promise<readonly unknown[]>;

type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failures: ReadonlyMap<string, string> };

/**
 * `checked` is the question without a segment. Throws INVALID_VALIDATION_REQUEST where it does not know a field of the
 * segment.
 */
export async function readWithSegment<T>(
  findSegment: FindSegment,
  owner: ReportOwner,
  segmentId: string | undefined,
  checked: T,
  read: (segment: readonly unknown[]) => Read<T>,
): Promise<T> {
  if (segmentId === undefined) return checked;
  const question = read(await findSegment(owner, segmentId));
  if (!question.ok) throw validationError(question.failures);
  return question.value;
}
