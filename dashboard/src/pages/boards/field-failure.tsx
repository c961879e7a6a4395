import { failuresOf } from "./field-failures.ts";

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
