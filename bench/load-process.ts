import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { FromLoad, Load, LoadResult, ToLoad } from "./load-messages.ts";

/** The load generator, seen from its parent: one process for all runs, so that each target meets the same warm code. */
export interface LoadProcess {
  run(load: Load): Promise<LoadResult>;
  /** Reports how many events of the current run are stored. */
  reportStored(events: number): void;
  close(): void;
}

/** Time beyond the run itself, for connecting and for the last answers. */
const GRACE_MS = 45_000;

export async function startLoad(): Promise<LoadProcess> {
  const child = fork(join(import.meta.dirname, "load.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await nextMessage(child, 10_000);
  const send = (message: ToLoad) => void child.send(message, () => undefined);
  return {
    async run(load) {
      send({ type: "run", load });
      const answer = await nextMessage(child, load.seconds * 1000 + GRACE_MS);
      if (answer.type === "done") return answer.result;
      throw new Error(`the load generator failed: ${answer.type === "failed" ? answer.reason : answer.type}`);
    },
    reportStored: (events) => send({ type: "stored", events }),
    close: () => void child.kill("SIGKILL"),
  };
}

function nextMessage(child: ChildProcess, withinMs: number): Promise<FromLoad> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => settle(() => reject(new Error("the load generator is silent"))), withinMs);
    const onMessage = (message: FromLoad) => settle(() => resolve(message));
    const onExit = () => settle(() => reject(new Error("the load generator ended")));
    function settle(how: () => void): void {
      clearTimeout(late);
      child.off("message", onMessage).off("exit", onExit);
      how();
    }
    child.on("message", onMessage).on("exit", onExit);
  });
}
