import { bootstrap, type FirstCredentials } from "../control/bootstrap.ts";
import { importProblem } from "../control/key-text.ts";
import type { ControlStore } from "../control/store.ts";
import type { Config } from "../installation/config.ts";
import { writePrivateFile } from "../installation/data-dir.ts";
import { systemClock } from "../lib/clock.ts";
import type { Urls } from "./listen.ts";
import { StartError } from "./start-error.ts";

/** Creates the first workspace with its keys and writes them to `file`. Returns undefined if a workspace exists. */
export async function createFirstCredentials(
  config: Config,
  control: { store: ControlStore; secret: Buffer },
  file: string,
  urls: Urls,
): Promise<FirstCredentials | undefined> {
  const presets = { api: config.BOOTSTRAP_API_KEY, write: config.BOOTSTRAP_WRITE_KEY } as const;
  for (const kind of ["api", "write"] as const) {
    const problem = presets[kind] === undefined ? undefined : importProblem(kind, presets[kind]);
    if (problem !== undefined)
      throw new StartError(`SEXTANT_BOOTSTRAP_${kind.toUpperCase()}_KEY cannot be used: ${problem}`);
  }
  return bootstrap(control.store, {
    secret: control.secret,
    clock: systemClock,
    presetApiKey: presets.api,
    presetWriteKey: presets.write,
    keep: (keys) =>
      writePrivateFile(file, `${JSON.stringify({ ...keys, apiUrl: urls.api, eventsUrl: urls.events }, null, 2)}\n`),
  });
}
