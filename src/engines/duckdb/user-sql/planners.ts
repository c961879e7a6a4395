/**
 * Processes that plan statements of users, each one statement at a time: a statement that takes too long to plan costs
 * its own process, and nobody waits for it. Started on demand (0.4 s), and ended after minutes without a statement.
 */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compiledCodeEnv } from "../../../lib/compiled-code.ts";
import { EngineBusy } from "../../failures.ts";
import { StatementRefused } from "../../user-sql/statement-refused.ts";
import type { FromPlanner, PlannedStatement, PlanRequest, ToPlanner } from "./planner-messages.ts";

export interface Planners {
  /** Throws StatementRefused, EngineBusy, an error with DuckDB's own message, or the reason of the signal. */
  plan(request: PlanRequest, signal: AbortSignal): Promise<PlannedStatement>;
  close(): void;
}

const PROCESS = fileURLToPath(new URL("./planner-process.ts", import.meta.url));
const READY_MS = 30_000;
/**
 * Planning takes 5 to 100 ms. Of processor time, which the planner counts: with its low priority it has a tenth of a
 * processor, or less, beside programs that want all of them.
 */
const PROCESSOR_MS = 5_000;
/** By the clock: sooner than the time limit of a statement, which would say that its user wrote a long one. */
const PLAN_MS = 20_000;
const IDLE_MS = 300_000;
const TOO_LONG = "The query takes too long to plan: it has too many parts";
const TOO_MUCH = "The query needs more memory to plan than a query may use: it has too many parts";

/** Only tests give other limits. */
export function createPlanners({ processorMs = PROCESSOR_MS, planMs = PLAN_MS } = {}): Planners {
  const idle: PlannerProcess[] = [];
  const all = new Set<PlannerProcess>();

  function leave(planner: PlannerProcess): void {
    all.delete(planner);
    const at = idle.indexOf(planner);
    if (at !== -1) idle.splice(at, 1);
  }

  return {
    async plan(request, signal) {
      signal.throwIfAborted();
      const planner = idle.pop() ?? new PlannerProcess(leave, planMs);
      all.add(planner);
      const plan = await planner.plan({ ...request, processorMs }, signal).finally(() => {
        if (planner.rest()) idle.push(planner);
      });
      if (plan.type === "planned") return plan.plan;
      if (plan.type === "late") throw new StatementRefused(TOO_LONG);
      throw plan.isRefused ? new StatementRefused(plan.message) : new Error(plan.message);
    },
    close() {
      for (const planner of all) planner.end();
    },
  };
}

class PlannerProcess {
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  readonly #planMs: number;
  #isReady = false;
  #isEnded = false;
  #rest: NodeJS.Timeout | undefined;

  constructor(onEnd: (planner: PlannerProcess) => void, planMs: number) {
    this.#planMs = planMs;
    const hooks = process.execArgv.filter((option) => option.startsWith("--import="));
    this.#child = fork(PROCESS, [], {
      // A minimal environment, as the engine's own.
      env: { TZ: "UTC", ...compiledCodeEnv() },
      execArgv: ["--disable-warning=ExperimentalWarning", ...hooks],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const ended = () => {
      this.#isEnded = true;
      clearTimeout(this.#rest);
      onEnd(this);
    };
    this.#child.once("exit", ended).once("error", ended);
    this.#ready = this.#receive(READY_MS).then(
      () => {
        this.#isReady = true;
      },
      (cause: unknown) => {
        throw new EngineBusy("a planner of statements did not start", { cause });
      },
    );
    // Reported by the statement that waits for it.
    this.#ready.catch(() => undefined);
  }

  /**
   * Ends the process if the statement is given up: nothing else ends planning. One that starts is left for the next: with
   * short time limits none would ever be ready.
   */
  async plan(request: ToPlanner, signal: AbortSignal): Promise<Exclude<FromPlanner, { type: "ready" }>> {
    clearTimeout(this.#rest);
    this.#child.ref();
    this.#child.channel?.ref();
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => {
      if (this.#isReady) this.end();
      aborted.reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await Promise.race([this.#ready, aborted.promise]);
      const answer = this.#receive(this.#planMs);
      this.#child.send(request, () => undefined);
      const plan = (await Promise.race([answer, aborted.promise])) as Exclude<FromPlanner, { type: "ready" }>;
      if (plan.type === "late") this.end();
      return plan;
    } catch (cause) {
      signal.throwIfAborted();
      if (!this.#isReady) throw cause;
      if (cause instanceof PlanTimeout)
        throw new EngineBusy("a planner of statements was given no processor", { cause });
      throw new StatementRefused(TOO_MUCH, { cause });
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Waits for the next statement, without keeping this process alive. False if it has ended. */
  rest(): boolean {
    if (this.#isEnded) return false;
    this.#child.unref();
    this.#child.channel?.unref();
    this.#rest = setTimeout(() => this.end(), IDLE_MS).unref();
    return true;
  }

  end(): void {
    this.#isEnded = true;
    this.#child.kill("SIGKILL");
  }

  /** The next message. The process is ended if none comes in time. */
  #receive(mostMs: number): Promise<FromPlanner> {
    const child = this.#child;
    const { promise, resolve, reject } = Promise.withResolvers<FromPlanner>();
    const late = setTimeout(() => {
      reject(new PlanTimeout(`no answer within ${mostMs} ms`));
      this.end();
    }, mostMs);
    const onExit = (code: number | null, signal: string | null) =>
      reject(new Error(`the planner ended: ${signal ?? String(code)}`));
    const onError = (cause: Error) => reject(cause);
    child.once("message", resolve).once("exit", onExit).once("error", onError);
    if (this.#isEnded) reject(new Error("the planner has ended"));
    const stop = () => {
      clearTimeout(late);
      child.off("message", resolve).off("exit", onExit).off("error", onError);
    };
    // Also handled where the statement was given up and nobody waits.
    promise.then(stop, stop);
    return promise;
  }
}

class PlanTimeout extends Error {
  override readonly name = "PlanTimeout";
}
