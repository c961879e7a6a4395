import { EngineException } from "./exceptions.ts";
import { READING, type Statement } from "./statement.ts";

/** Scalar functions that leave the engine: files, models, remote language models. `eval` runs SQL from a string. */
const OUTSIDE = ["file", "catboostevaluate", "aiclassify", "aigenerate", "aiembed", "aiextract", "aitranslate", "eval"];

/** Table functions that are not "readonly" to the engine but read nothing outside of it; some are scalar names too. */
const HARMLESS = new Set(["format", "dictionary", "loop"]);

/**
 * What readonly=1 must not reach. The engine's own readonly mode stops file(), url() and remote() as tables, but was seen
 * to let through the scalar file('/etc/passwd'), KILL QUERY and INTO OUTFILE; those are stopped here.
 */
export type ReadonlyGuard = (statement: Statement) => void;

export function readonlyGuard(tableFunctions: readonly string[]): ReadonlyGuard {
  const denied = new Set(OUTSIDE);
  for (const name of tableFunctions) if (!HARMLESS.has(name.toLowerCase())) denied.add(name.toLowerCase());
  return (statement) => {
    if (!READING.has(statement.keyword)) throw refuse();
    for (const name of statement.calls) if (denied.has(name)) throw refuse();
  };
}

function refuse(): EngineException {
  return new EngineException(164, "READONLY", "Cannot execute query in readonly mode.");
}

export function isReadonly(setting: string | undefined): boolean {
  return setting !== undefined && setting !== "0" && setting !== "false";
}
