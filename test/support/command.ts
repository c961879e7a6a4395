import { runCli } from "../../src/cli/cli.ts";
import { readConfig } from "../../src/installation/config.ts";
import { dataPaths, findRunning } from "../../src/installation/data-dir.ts";
import { createInstallation } from "../../src/installation/installation.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openEvents } from "../../src/open-events.ts";
import { serviceEnv } from "./service.ts";

export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

/** Runs a command beside a running service in this process: to start Node for each would take half a second of CPU. */
export async function runHere(
  dataDir: string,
  args: readonly string[],
  { input = "" }: { input?: string } = {},
): Promise<CommandResult> {
  const installation = createInstallation(readConfig(serviceEnv(dataDir)));
  const running = findRunning(dataPaths(dataDir));
  const [out, err]: [string[], string[]] = [[], []];
  const unused = () => Promise.reject(new Error("not for this command"));
  const code = await runCli(args, {
    open: () => installation.openControl("refused"),
    openEvents: () => openEvents(installation),
    backup: unused,
    restore: unused,
    examine: unused,
    sendTestMail: unused,
    serve: unused,
    apiUrl: () => running?.apiUrl ?? "",
    eventsUrl: () => running?.eventsUrl,
    clock: systemClock,
    readStdin: async () => input,
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    version: "0",
  });
  return { code, out: out.join(""), err: err.join("") };
}
