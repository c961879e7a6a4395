import { ApiError } from "../contract/errors.ts";

/** Names are shown to people: no control characters, and only text that both stores keep as it is. */
export function readName(text: string): string {
  const name = text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, "")
    .trim();
  if (name === "") throw new ApiError("INVALID_VALIDATION_REQUEST", "body.name is empty", { param: "body.name" });
  return name;
}
