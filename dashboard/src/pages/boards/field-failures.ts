/** What the service refuses, by the fields of a chart. */
import { RequestFailed } from "../../api/failure.ts";

const isBelow = (path: string, name: string) => path === `body.${name}` || path.startsWith(`body.${name}.`);

/** What the service says of a field: `x_axis`, or `params.limit`, and all below it. */
export function failuresOf(failure: unknown, field: string, except: readonly string[] = []): string[] {
  if (!(failure instanceof RequestFailed)) return [];
  const isOf = (path: string) => isBelow(path, field) && !except.some((one) => isBelow(path, `${field}.${one}`));
  if (failure.code === "INVALID_VALIDATION_REQUEST") {
    return Object.entries(failure.details).flatMap(([path, what]) => (isOf(path) ? [`It ${String(what)}.`] : []));
  }
  return failure.param !== undefined && isOf(failure.param) ? [failure.message] : [];
}

/** True if it, or a part of it, is of none of the fields that are shown. */
export function isElsewhere(failure: unknown, fields: readonly string[]): boolean {
  if (failure == null) return false;
  if (!(failure instanceof RequestFailed)) return true;
  const paths = failure.code === "INVALID_VALIDATION_REQUEST" ? Object.keys(failure.details) : [failure.param ?? ""];
  return paths.length === 0 || paths.some((path) => !fields.some((field) => isBelow(path, field)));
}
