/** Reads a file in a process of its own: what a file makes of its reader costs that file alone. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { compiledCodeEnv } from "../../lib/compiled-code.ts";
import { ImportError } from "../import-error.ts";
import { READER_MOST_MB, REFUSED_CODE } from "./reader-limits.ts";

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** The longest that it may take until the next rows come. */
  readonly stillMs: number;
  /** The same for the first ones, where rows before them are passed over. */
  readonly firstMs?: number;
}

/** Of what a reader says about its end. */
const SAID_CHARS = 4_000;

/** The lines that `program` writes. Throws an ImportError if they are not all there. */
export async function* readFromProcess(
  program: URL,
  args: readonly string[],
  { signal, stillMs, firstMs = stillMs }: ReadOptions,
): AsyncGenerator<Buffer, void, void> {
  signal?.throwIfAborted();
  const child = fork(fileURLToPath(program), args, {
    // A minimal environment, as the engine's own.
    env: { TZ: "UTC", ...compiledCodeEnv() },
    execArgv: [
      "--disable-warning=ExperimentalWarning",
      ...process.execArgv.filter((option) => option.startsWith("--import=")),
    ],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("a reader has no output");
  const end = () => void child.kill("SIGKILL");
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  // Waited for below, or not at all: a process is closed only when all that it wrote was read.
  closed.catch(() => undefined);
  const exited = once(child, "exit").catch(() => undefined);
  signal?.addEventListener("abort", end, { once: true });
  let said = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    said = `${said}${text}`.slice(0, SAID_CHARS);
  });
  let isLate = false;
  let limitMs = firstMs;
  const chunks = stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const late = setTimeout(() => {
        isLate = true;
        end();
      }, limitMs);
      const next = await chunks.next().finally(() => clearTimeout(late));
      if (next.done === true) break;
      limitMs = stillMs;
      yield next.value;
    }
    const [code, by] = await closed;
    signal?.throwIfAborted();
    if (code !== 0) throw new ImportError(reasonOf({ code, by, said, isLate, limitMs }));
  } finally {
    signal?.removeEventListener("abort", end);
    end();
    for (const stream of [stdout, stderr]) stream.destroy();
    await exited;
  }
}

interface End {
  code: number | null;
  by: NodeJS.Signals | null;
  said: string;
  isLate: boolean;
  limitMs: number;
}

function reasonOf({ code, by, said, isLate, limitMs }: End): string {
  if (isLate) return `its next rows take longer than ${Math.ceil(limitMs / 1_000)} s to read`;
  if (code === REFUSED_CODE.said || code === REFUSED_CODE.failed) return said;
  // The reader ends itself like this, and so does the system that has no more memory.
  if (by === "SIGKILL") return `reading it takes more than ${READER_MOST_MB} MB of memory`;
  return `its reader ended early (${by ?? code}): it is damaged`;
}
