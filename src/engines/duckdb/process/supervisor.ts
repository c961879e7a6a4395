import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { compiledCodeEnv } from "../../../lib/compiled-code.ts";
import { DEFAULT_LIMITS, type EngineLimits } from "../limits.ts";
import type { FromEngine, ToEngine } from "./messages.ts";

/**
 * Keeps the engine's process alive.
 *
 *   starting --ready--> ready --exit--> restarting --ready--> ready
 *      |                  |                 |  ^ failed or exit: again, later
 *      +-- failed: start rejects            +--+
 *   any --stop--> stopped
 *
 * Only `become` changes the state.
 */
export type EngineState = "starting" | "ready" | "restarting" | "stopped";

export interface EngineStatus {
  readonly state: EngineState;
  readonly restarts: number;
  readonly lastExit: string | undefined;
  readonly pid: number | undefined;
}

export interface EmbeddedEngine {
  status(): EngineStatus;
  /** Calls back on every change. Returns a function that unsubscribes. */
  onChange(listener: (status: EngineStatus) => void): () => void;
  /** The current address. Ask each time: after a restart it is the same unless its port was taken. */
  url(): string;
  /** Sent with every request. */
  readonly token: string;
  stop(): Promise<void>;
}

export interface EngineLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface EngineOptions {
  readonly dir: string;
  readonly log: EngineLog;
  readonly limits?: Partial<EngineLimits>;
  /** A child that answers no ping for so long is killed: a stopped or spinning process appears alive otherwise. */
  readonly silenceMs?: number;
  /** How long to wait until a predecessor releases the directory. */
  readonly lockWaitMs?: number;
}

/**
 * How glibc gives memory back. Statements run in a pool of threads, each with an arena of its own, and what they free
 * stays there: of 430 MB after a checkpoint DuckDB used 75. With these settings the peak of 300,000 events of 200,000
 * visitors was 512 instead of 587 MB. Larger memory than the threshold goes back to the system at once; 1 MiB is above
 * the blocks of DuckDB. Other C libraries ignore them.
 */
const MALLOC = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(1024 ** 2),
  MALLOC_TRIM_THRESHOLD_: String(32 * 1024 ** 2),
} as const;

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));
const PING_EVERY_MS = 1_000;
const SILENCE_MS = 15_000;
/**
 * The first restart is immediate (ready again in 0.2 s). A child that keeps dying is started every 3 s: still available
 * within 5 s.
 */
const BACKOFF_MS = [0, 250, 1_000, 3_000] as const;
/** After a longer run the next restart is immediate again. */
const STABLE_MS = 30_000;
/** Opening a file after kill -9 takes 10 ms per MB of its write-ahead log. */
const READY_MS = 60_000;
/** A killed predecessor releases its lock within milliseconds; the rest is for a machine that swaps. */
const LOCK_WAIT_MS = 10_000;
const STOP_GRACE_MS = 5_000;
const KILL_AFTER_MS = STOP_GRACE_MS + 1_000;

export async function startEmbeddedEngine(options: EngineOptions): Promise<EmbeddedEngine> {
  const supervisor = new Supervisor(options);
  await supervisor.start();
  return supervisor;
}

class Supervisor implements EmbeddedEngine {
  readonly token = randomBytes(24).toString("base64url");
  readonly #options: EngineOptions;
  readonly #limits: EngineLimits;
  readonly #listeners = new Set<(status: EngineStatus) => void>();
  #state: EngineState = "starting";
  #restarts = 0;
  #failures = 0;
  #lastExit: string | undefined;
  #lastLine = "";
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #port = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    // The limit of the process must leave room for a larger limit of queries.
    this.#limits = { ...limits, processBytes: Math.max(limits.processBytes, limits.memoryBytes * 3) };
  }

  /** Rejects with one line when the engine cannot start; then no process is left. */
  async start(): Promise<void> {
    try {
      await this.#launch();
    } catch (cause) {
      await this.stop();
      throw cause;
    }
  }

  status(): EngineStatus {
    return { state: this.#state, restarts: this.#restarts, lastExit: this.#lastExit, pid: this.#child?.pid };
  }

  onChange(listener: (status: EngineStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    this.#become("stopped");
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined) return;
    const killer = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
    if (child.connected) child.send({ type: "stop", graceMs: STOP_GRACE_MS } satisfies ToEngine, () => undefined);
    else child.kill("SIGKILL");
    await this.#exited;
    clearTimeout(killer);
  }

  #become(state: EngineState): void {
    if (this.#state === "stopped" || this.#state === state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(this.status());
  }

  /**
   * Starts one child and resolves when it is ready. Rejects when it reports a failure, ends, or exceeds the time limit.
   */
  #launch(): Promise<void> {
    // A minimal environment: the engine must not see the service's settings and secrets.
    const env = {
      TZ: "UTC",
      // Each running query occupies a thread of this pool; the others are for the writer, the number of
      // threads, the memory probe and files.
      UV_THREADPOOL_SIZE: String(this.#limits.runningQueries + this.#limits.userQueries + 5),
      ...MALLOC,
      ...compiledCodeEnv(),
    };
    // Installed below node_modules, Node needs the hook of bin/types.js to run TypeScript.
    const hooks = process.execArgv.filter((option) => option.startsWith("--import="));
    const execArgv = ["--disable-warning=ExperimentalWarning", ...hooks];
    const child = fork(CHILD, [], { env, execArgv, stdio: ["ignore", "ignore", "pipe", "ipc"] });
    this.#child = child;
    this.#follow(child);
    const { dir, lockWaitMs = LOCK_WAIT_MS } = this.#options;
    const start = {
      type: "start",
      dir,
      port: this.#port,
      token: this.token,
      limits: this.#limits,
      lockWaitMs,
    } as const;
    child.send(start satisfies ToEngine, () => undefined);
    return new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => child.kill("SIGKILL"), READY_MS);
      let reason: string | undefined;
      child.once("exit", () => {
        clearTimeout(late);
        reject(new Error(reason ?? this.#describeFailedStart()));
      });
      child.once("error", reject);
      child.on("message", (message: FromEngine) => {
        if (message.type === "failed") {
          reason = `the analytics engine did not start: ${message.reason}`;
          child.kill("SIGKILL");
          return;
        }
        clearTimeout(late);
        this.#port = message.port;
        this.#live(child);
        resolve();
      });
    });
  }

  #describeFailedStart(): string {
    const lastLine = this.#lastLine === "" ? "" : `: ${this.#lastLine}`;
    return `the analytics engine did not start (${this.#lastExit ?? "unknown"}) in ${this.#options.dir}${lastLine}`;
  }

  /** Watches a child from ready to exit. */
  #live(child: ChildProcess): void {
    const since = performance.now();
    const heart = this.#watchHeart(child);
    child.once("exit", () => {
      clearInterval(heart);
      if (performance.now() - since > STABLE_MS) this.#failures = 0;
      this.#restart();
    });
    this.#become("ready");
  }

  #restart(): void {
    if (this.#state === "stopped") return;
    this.#become("restarting");
    const waitMs = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)] ?? 0;
    this.#failures += 1;
    this.#restarts += 1;
    this.#options.log.warn({ lastExit: this.#lastExit, waitMs }, "the analytics engine ended; starting it again");
    this.#timer = setTimeout(() => {
      this.#launch().catch((cause: unknown) => {
        this.#options.log.warn({ err: cause }, "the analytics engine could not be restarted");
        this.#restart();
      });
    }, waitMs);
  }

  #watchHeart(child: ChildProcess): NodeJS.Timeout {
    const silenceMs = this.#options.silenceMs ?? SILENCE_MS;
    const everyMs = Math.min(PING_EVERY_MS, silenceMs / 3);
    let heard = performance.now();
    const beat = async (): Promise<void> => {
      try {
        const answer = await fetch(`${this.url()}/ping`, { signal: AbortSignal.timeout(silenceMs) });
        await answer.arrayBuffer();
        heard = performance.now();
      } catch {
        // The interval below measures the silence.
      }
    };
    let ticked = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      // If this process itself was suspended or blocked, the silence proves nothing: start measuring again.
      if (now - ticked > silenceMs / 2) heard = now;
      ticked = now;
      if (now - heard <= silenceMs) {
        void beat();
        return;
      }
      clearInterval(timer);
      this.#options.log.warn({ silenceMs }, "the analytics engine does not answer; killing it");
      child.kill("SIGKILL");
    }, everyMs);
    timer.unref();
    return timer;
  }

  #follow(child: ChildProcess): void {
    this.#lastLine = "";
    if (child.stderr !== null) {
      createInterface({ input: child.stderr }).on("line", (line) => {
        const text = line.replaceAll(this.token, "***").slice(0, 2_000);
        if (text.trim() !== "") this.#lastLine = text;
        this.#options.log.warn({ line: text }, "analytics engine");
      });
    }
    this.#exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#lastExit = signal ?? `code ${code}`;
        resolve();
      });
      child.once("error", (cause) => {
        this.#lastExit = cause.message;
        resolve();
      });
    });
  }
}
