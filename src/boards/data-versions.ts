/** The version of a project's data: answers are kept while it is the same. */
import type { Clock } from "../lib/clock.ts";
import { findDataVersion } from "../query/live/data-version.ts";
import type { ReportOwner } from "../query/report/question.ts";
import type { Spent } from "../query/run/in-slot.ts";
import type { RunLookup } from "../query/run/run-lookup.ts";

/** Twelve charts of a page that are asked one by one look for the version once. */
const VERSION_MS = 1_000;

interface Found {
  readonly version: Promise<string>;
  untilMs: number;
}

interface Asking {
  readonly signal: AbortSignal;
  readonly spent?: Spent | undefined;
}

export function createDataVersions(needs: { readonly runLookup: RunLookup }, clock: Clock) {
  const found = new Map<string, Found>();
  return async (
    workspaceId: string,
    project: ReportOwner["projects"][number],
    { signal, spent }: Asking,
  ): Promise<string> => {
    signal.throwIfAborted();
    const nowMs = clock.nowMs();
    for (const [id, { untilMs }] of found) if (untilMs <= nowMs) found.delete(id);
    const known = found.get(project.id);
    if (known !== undefined) return known.version;
    // Not with the signal: others may wait for it. It takes milliseconds.
    const { signal: never } = new AbortController();
    const version = needs.runLookup(findDataVersion, { workspaceId, projects: [project] }, never, spent);
    // While the workspace is busy it waits for a slot: a second one would wait behind it.
    const one: Found = { version, untilMs: Number.POSITIVE_INFINITY };
    found.set(project.id, one);
    version.then(
      () => {
        one.untilMs = clock.nowMs() + VERSION_MS;
      },
      () => found.delete(project.id),
    );
    return version;
  };
}
