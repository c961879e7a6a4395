import { RequestFailed } from "../../api/failure.ts";

/** What the service says of a field: `x_axis`, or `params.limit`, and all below it. */
function failuresOf(failure: unknown, field: string, except: readonly string[] = []): string[] {
  if (!(failure instanceof RequestFailed)) return [];
  const isBelow = (path: string, name: string) => path === `body.${name}` || path.startsWith(`body.${name}.`);
  const isOf = (path: string) => isBelow(path, field) && !except.some((one) => isBelow(path, `${field}.${one}`));
  if (failure.code === "INVALID_VALIDATION_REQUEST") {
    return Object.entries(failure.details).flatMap(([path, what]) => (isOf(path) ? [`It ${String(what)}.`] : []));
  }
  return failure.param !== undefined && isOf(failure.param) ? [failure.message] : [];
}

/** True if none of the fields shows it. */
export function isElsewhere(failure: unknown, fields: readonly string[]): boolean {
  return failure != null && fields.every((field) => failuresOf(failure, field).length === 0);
}

interface FieldFailureProps {
  failure: unknown;
  field: string;
  /** Fields below it that show theirs themselves. */
  except?: readonly string[];
}

export function FieldFailure({ failure, field, except = [] }: FieldFailureProps) {
  const texts = [...new Set(failuresOf(failure, field, except))];
  if (texts.length === 0) return null;
  return (
    <p className="field-failure" role="alert">
      {texts.join(" ")}
    </p>
  );
}
