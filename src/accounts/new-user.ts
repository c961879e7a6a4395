import { ApiError } from "../contract/errors.ts";
import { findPasswordProblem } from "./passwords.ts";
import { readUserName } from "./users.ts";

/** Checks what a schema cannot, then hashes. */
export async function readNewUser(
  sent: { name: string; password: string },
  hash: (password: string) => Promise<string>,
): Promise<{ name: string; passwordHash: string }> {
  const read = readUserName(sent.name);
  if (read.problem !== undefined) throw invalid("body.name", read.problem);
  const problem = findPasswordProblem(sent.password, read.name);
  if (problem !== undefined) throw invalid("body.password", problem);
  return { name: read.name, passwordHash: await hash(sent.password) };
}

export function invalid(param: string, problem: string): ApiError {
  return new ApiError("INVALID_VALIDATION_REQUEST", `${param} ${problem}`, { param, details: { [param]: problem } });
}
