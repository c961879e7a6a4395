/**
 * What a query leaves to its owner. A saved segment is exactly its filters: a question that names one is read again, with
 * its filters beside those of the client. So is one about projects with a time zone, which decides what today is. Reports
 * (ask.ts) and the routes of other questions call this, and nothing else looks a segment up.
 */
import { validationError } from "../../contract/validation-error.ts";
import { UTC } from "../../lib/time-zones.ts";
import { type Known, type ReportOwner, zoneOf } from "../report/question.ts";

/** The filters of a segment. Throws NOT_FOUND for one that is in none of the owner's projects. */
export type FindSegment = (owner: ReportOwner, segmentId: string) => Promise<readonly unknown[]>;

type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failures: ReadonlyMap<string, string> };

interface Given {
  readonly segment?: string;
  readonly timezone?: unknown;
}

/**
 * `checked` is the question without a segment, in UTC or in the zone that it names. Throws INVALID_VALIDATION_REQUEST where
 * it does not know a field of the segment.
 */
export async function readWithSegment<T>(
  findSegment: FindSegment,
  owner: ReportOwner,
  query: Given,
  checked: T,
  read: (known: Known) => Read<T>,
): Promise<T> {
  const zone = zoneOf(owner);
  if (query.segment === undefined && (zone === UTC || query.timezone !== undefined)) return checked;
  const segment = query.segment === undefined ? [] : await findSegment(owner, query.segment);
  const question = read({ segment, zone });
  if (!question.ok) throw validationError(question.failures);
  return question.value;
}
