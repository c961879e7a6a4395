import { existsSync, readFileSync } from "node:fs";
import { setupUrl } from "../accounts/setup.ts";
import { hasUsers } from "../accounts/users.ts";
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

/**
 * The link to the first account; undefined once there is one. It is added to `file`, also where the keys were removed
 * from there.
 */
export async function findSetupUrl(
  control: { store: ControlStore; secret: Buffer },
  file: string,
  urls: Urls,
): Promise<string | undefined> {
  if (await hasUsers(control.store.read)) return undefined;
  const link = setupUrl(urls.api, control.secret);
  const kept = readKept(file);
  // A file that somebody else wrote stays as it is: the link is printed either way.
  if (kept !== undefined && kept.setupUrl !== link)
    writePrivateFile(file, `${JSON.stringify({ ...kept, setupUrl: link }, null, 2)}\n`);
  return link;
}

function readKept(file: string): Record<string, unknown> | undefined {
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
