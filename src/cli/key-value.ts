import { createKeyText, importProblem, type KeyKind } from "../control/key-text.ts";
import { type CliDeps, CliError } from "./deps.ts";

/** A fresh key, or the one that is taken over. Standard input keeps it out of the shell's history. */
export async function getKeyText(deps: CliDeps, kind: KeyKind, value: string | undefined): Promise<string> {
  if (value === undefined) return createKeyText(kind);
  const text = value === "-" ? (await deps.readStdin()).trim() : value;
  const problem = importProblem(kind, text);
  if (problem !== undefined) throw new CliError(`the given key cannot be used: ${problem}`);
  return text;
}
