import { type ChildProcess, spawn } from "node:child_process";
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

/** A real process of ours, on the Node that runs the tests. Only the given SEXTANT_ settings reach it. */
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
    async waitForLine(pattern, withinMs = 30_000) {
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
