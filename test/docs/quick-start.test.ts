import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { startBrowser, watchPage } from "../support/browser.ts";
import { findFreePort } from "../support/free-port.ts";
import { whyNoChromium } from "../support/platform.ts";
import { makeDataDir, readCredentials, serviceEnv } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

/** The guide, as its reader meets it: what to type, and what is then shown. */
const ROOT = resolve(import.meta.dirname, "../..");
const GUIDE = readFileSync(resolve(ROOT, "docs/quick-start.md"), "utf8");

/** npm would leave a cache of its own code in the temporary directory. */
const QUIET_NPM = { NODE_DISABLE_COMPILE_CACHE: "1" };

interface Block {
  language: string;
  text: string;
}

const BLOCKS: Block[] = [...GUIDE.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));
const [START, ...COMMANDS] = BLOCKS.filter(({ language }) => language === "sh");

/** What the guide says a command shows. */
function documented(block: Block): unknown {
  const next = BLOCKS[BLOCKS.indexOf(block) + 1];
  return next?.language === "json" ? JSON.parse(next.text) : undefined;
}

/** Everything that the guide shows must be there. `...` is the rest of a text; fields that it omits may be anything. */
function shows(actual: unknown, expected: unknown): boolean {
  if (typeof expected === "string" && expected.endsWith("..."))
    return typeof actual === "string" && actual.startsWith(expected.slice(0, -3));
  if (typeof expected !== "object" || expected === null) return actual === expected;
  if (typeof actual !== "object" || actual === null) return false;
  if (Array.isArray(expected) && (actual as unknown[]).length !== expected.length) return false;
  return Object.entries(expected).every(([name, value]) => shows((actual as Record<string, unknown>)[name], value));
}

interface Terminal {
  run(text: string): Promise<string>;
  close(): Promise<void>;
}

/** One shell for all commands, as functions and variables of one are used by the next. */
function openTerminal(env: Record<string, string>): Terminal {
  const shell = spawn("bash", ["-o", "pipefail"], { cwd: ROOT, env: { ...process.env, ...env } });
  let output = "";
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
  };
  shell.stdout.on("data", keep);
  shell.stderr.on("data", keep);
  let turn = 0;
  return {
    async run(text) {
      turn += 1;
      const end = new RegExp(`^end ${turn} (\\d+)\\n`, "m");
      shell.stdin.write(`${text}\nprintf '\\nend %s %s\\n' ${turn} $?\n`);
      const match = await waitFor(`the end of: ${text}`, () => end.exec(output) ?? undefined, 60_000);
      assert.equal(match[1], "0", `${text}\n${output}`);
      const printed = output.slice(0, match.index).trim();
      // What runs in the background may print between two commands: the next one shows it, as a terminal would.
      output = output.slice(match.index + match[0].length);
      return printed;
    },
    async close() {
      shell.stdin.end();
      await once(shell, "close");
    },
  };
}

/** In its own process group, which receives signals together as in a terminal. CI ran `npm ci` before this test. */
function startAsWritten(env: Record<string, string>): ChildProcessWithoutNullStreams {
  const prelude = 'npm() { if [ "$1" != ci ]; then command npm "$@"; fi; }';
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SEXTANT_")));
  return spawn("bash", ["-c", `${prelude}\n${START?.text}`], {
    cwd: ROOT,
    env: { ...inherited, ...env },
    detached: true,
  });
}

/** The whole output, and each text in it: a receiver in the background also prints, and curl prints no newline. */
function findTexts(output: string): string[] {
  return [output, ...output.replaceAll("}{", "}\n{").split("\n")];
}

/** Without a request, after which the receiver would end. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe("the quick start", () => {
  const data = makeDataDir();
  let service: ChildProcessWithoutNullStreams;
  let terminal: Terminal;
  let hookPort: number;

  before(async () => {
    const env = serviceEnv(data.dir, QUIET_NPM);
    service = startAsWritten(env);
    let said = "";
    service.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    service.stderr.resume();
    await waitFor("the banner", () => /is ready\.[\s\S]*Try it/.test(said), 90_000);
    hookPort = await findFreePort();
    terminal = openTerminal({
      ...QUIET_NPM,
      SEXTANT_DATA_DIR: data.dir,
      HOOK_PORT: String(hookPort),
    });
  });
  after(async () => {
    await terminal.close();
    const ended = once(service, "close");
    process.kill(-(service.pid ?? 0), "SIGINT");
    await ended;
    data.remove();
  });

  test("every command of the guide prints what the guide shows, in order", async () => {
    assert.ok(COMMANDS.length >= 10);
    let before = "";
    for (const block of COMMANDS) {
      const expected = documented(block);
      // Reports show an event within a second: who reads too early reads again.
      const isRead = /^curl -sS "\$API\/v0\//.test(block.text);
      const shown = async (): Promise<string | undefined> => {
        const printed = await terminal.run(block.text);
        // What runs in the background may print while the command before is still under way.
        const output = block.text.startsWith("wait ") ? `${before}\n${printed}` : printed;
        const fits = expected === undefined || findTexts(output).some((text) => shows(findJson(text), expected));
        if (!fits && !isRead) assert.fail(`${block.text}\nshows ${output}\nnot ${JSON.stringify(expected)}`);
        return fits ? output : undefined;
      };
      const output = await waitFor(`the documented answer to: ${block.text}`, shown);
      before = output;
      // A delivery that finds nobody comes again after seconds, then after minutes.
      if (block.text.includes("RECEIVER=")) await waitFor("the receiver", () => accepts(hookPort));
      if (block.text.includes("events ledger")) assert.deepEqual(sumLedger(output), [3, 3, 0, 0, 0]);
      if (block.text.startsWith("FORM=")) {
        const page = await fetch(output);
        assert.equal(page.status, 200, output);
        assert.match(await page.text(), /Join the beta/);
      }
    }
  });

  test("the example page sends a page view from a browser", { skip: whyNoChromium() ?? false }, async (t) => {
    const { apiUrl, apiKey, eventsUrl, writeKey } = readCredentials(data.dir);
    const html = BLOCKS.find(({ language }) => language === "html")?.text ?? "";
    const page = html.replace("YOUR_WRITE_KEY", writeKey).replace("http://127.0.0.1:3001", eventsUrl);
    assert.notEqual(page, html);
    const site = createServer((_request, response) => {
      response.setHeader("content-type", "text/html").end(`<!doctype html><title>Shop</title>${page}`);
    }).listen(0, "127.0.0.1");
    await once(site, "listening");
    t.after(() => {
      site.close();
      site.closeAllConnections();
    });
    const { browser, userAgent, close } = await startBrowser();
    t.after(close);
    const tab = await browser.newPage({ userAgent });
    tab.setDefaultTimeout(60_000);
    const { problems } = watchPage(tab);
    const sent = tab.waitForResponse((response) => response.url().endsWith("/v0/raw_events"));
    await tab.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    assert.equal((await sent).status(), 200);
    assert.deepEqual(problems, []);
    await waitFor("the visit in a report", async () => {
      const url = `${apiUrl}/v0/top_sources?metric_column=origin`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
      const { data: rows } = (await answer.json()) as { data: { origin: string; hits: number }[] };
      return rows.some(({ origin, hits }) => origin === "127.0.0.1" && hits === 1);
    });
  });
});

/** Of all minutes: the guide may take more than the one that it shows. */
function sumLedger(output: string): number[] {
  const lines = [...output.matchAll(/^prj_\S+ +\S+((?: +\d+){5})\b/gm)].map(([, counts = ""]) =>
    counts.trim().split(/ +/).map(Number),
  );
  return [0, 1, 2, 3, 4].map((column) => lines.reduce((sum, counts) => sum + (counts[column] ?? 0), 0));
}

function findJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
