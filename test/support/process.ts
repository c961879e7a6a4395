import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { waitFor } from "./wait.ts";

export interface TestProcess {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves with the exit code, or the signal's name. */
  exited: Promise<number | string>;
  kill(signal: NodeJS.Signals): Promise<number | string>;
  /** Waits for a line of standard output that matches, and gives the match. */
  waitForLine(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>;
}

/** A real process of ours, on the Node that runs the tests. It gets only the given SEXTANT_ settings. */
export function startProcess(args: readonly string[], env: Record<string, string>): TestProcess {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SEXTANT_")));
  const child = spawn(process.execPath, args, { env: { ...inherited, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const exited = new Promise<number | string>((resolve) =>
    child.on("close", (code, signal) => resolve(code ?? signal ?? "")),
  );
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    exited,
    async kill(signal) {
      child.kill(signal);
      return exited;
    },
    async waitForLine(pattern, withinMs = 90_000) {
      return waitFor(
        `output like ${pattern}`,
        () => {
          const match = pattern.exec(stdout);
          if (!match && child.exitCode !== null)
            throw new Error(`the process ended with ${child.exitCode}: ${stderr || stdout}`);
          return match ?? undefined;
        },
        withinMs,
      );
    },
  };
}

/** The command-line word of the process that runs DuckDB for a service. */
export const ENGINE_CHILD = "duckdb/process/child.ts";

/** The child process with this word in its command line. */
export function findChild(parent: number, word: string): number {
  const [found] = findChildren(parent, word);
  assert.ok(found, `a child with ${word} in its command line is there`);
  return found;
}

/** Only Linux lists them in files: elsewhere the test fails with that reason. */
export function findChildren(parent: number, word: string): number[] {
  const children = readProc(`${parent}/task/${parent}/children`);
  assert.ok(children !== undefined, "children of a process are read from /proc, which this system does not have");
  return children
    .split(" ")
    .filter((pid) => readProc(`${pid}/cmdline`)?.includes(word))
    .map(Number);
}

/** False for a process that has ended and waits for its parent, on Linux; other systems report it as alive. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    // ESRCH: no such process, which is the answer.
    return false;
  }
  return readProc(`${pid}/stat`)?.includes(") Z ") !== true;
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, "utf8").trim();
  } catch {
    // It ended in the meantime, or this is no Linux.
    return undefined;
  }
}
