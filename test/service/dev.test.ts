import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { resolve } from "node:path";
import { test } from "node:test";
import { startProcess } from "../support/process.ts";
import { makeDataDir } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

const SCRIPT = resolve(import.meta.dirname, "../../scripts/dev.ts");

async function freePorts(count: number): Promise<string[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => String((server.address() as AddressInfo).port));
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

test("npm run dev serves the dashboard's sources, with an account and demo data, and stops on a signal", async (t) => {
  const data = makeDataDir();
  t.after(data.remove);
  const [DEV_PORT = "", SEXTANT_API_PORT = "", SEXTANT_EVENTS_PORT = "", SEXTANT_OPS_PORT = ""] = await freePorts(4);
  const ports = { DEV_PORT, SEXTANT_API_PORT, SEXTANT_EVENTS_PORT, SEXTANT_OPS_PORT };
  const dev = startProcess([SCRIPT], { ...ports, SEXTANT_DATA_DIR: data.dir });
  t.after(() => dev.kill("SIGTERM"));
  const [, url = "", name = "", password = ""] = await dev.waitForLine(
    /Dashboard +(\S+) +sign in as "(.*)" with the password "(.*)"/,
    60_000,
  );

  // Not the built files: Vite compiles the source that the page names, and puts in what replaces a changed component.
  assert.match(await (await fetch(`${url}/app`)).text(), /src="\/src\/main\.tsx/);
  const source = await (await fetch(`${url}/src/app/nav.tsx`)).text();
  assert.match(source, /RefreshReg/);

  const answer = await fetch(`${url}/api/sign-in/password`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ name, password }),
  });
  assert.equal(answer.status, 200);
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  // It has begun; that it ends is for the tests of the demo.
  await waitFor("the demo's project", async () => {
    const account = await fetch(`${url}/api/account`, { headers: { cookie } });
    return (await account.text()).includes('"isDemo":true');
  });
  await dev.waitForLine(/^\d\d:\d\d:\d\d INFO answered .*sign-in/m);
  assert.equal(await dev.kill("SIGTERM"), 0);
});
