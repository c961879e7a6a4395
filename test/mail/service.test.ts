import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { inSomeRound } from "../../src/lib/testing.ts";
import { startMailServer } from "../support/mail-server.ts";
import { MAIN, makeDataDir, readCredentials, serviceEnv, startService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

describe("mail of the whole service", () => {
  test("kill -9 while a mail is being sent: it is sent after the restart, under the same id, and no log has the password", async (t) => {
    const { dir, remove } = makeDataDir();
    t.after(remove);
    let isHolding = true;
    const smtp = await startMailServer({
      user: { name: "me", password: "hidden-password" },
      // Not taken until the first process is gone.
      hold: () => waitFor("the end of the first process", () => !isHolding).then(() => undefined),
    });
    t.after(smtp.stop);
    const settings = { SEXTANT_SMTP_URL: smtp.url, SEXTANT_MAIL_FROM: "Sextant <reports@example.com>" };
    const first = await startService(dir, settings);
    t.after(() => first.kill("SIGKILL"));
    const asked = await fetch(`${first.apiUrl}/v0/mail_addresses`, {
      method: "POST",
      headers: { authorization: `Bearer ${readCredentials(dir).apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ address: "ada@example.com" }),
    });
    assert.equal(asked.status, 201);
    await waitFor("the mail on its way", () => smtp.begun() === 1);
    await first.kill("SIGKILL");
    isHolding = false;
    const second = await startService(dir, settings);
    t.after(() => second.kill("SIGKILL"));
    await waitFor("the mail of the second process", () => smtp.begun() === 2 && smtp.mails.length > 0);
    const ids = new Set(smtp.mails.map(({ headers }) => headers.get("message-id")));
    assert.equal(ids.size, 1);
    assert.match([...ids][0] ?? "", /^<dlv_\w+@example\.com>$/);
    // The doctor of the running service asks the same server.
    const env = { ...process.env, ...serviceEnv(dir, settings) };
    // It fails when any of its questions to the service takes more than seconds.
    let doctor = { stdout: "", stderr: "" };
    await inSomeRound(5, async () => {
      doctor = await promisify(execFile)(process.execPath, [MAIN, "doctor", "--json"], { env });
    });
    const checks = JSON.parse(doctor.stdout) as { name: string; status: string; message: string }[];
    assert.deepEqual(
      checks.find(({ name }) => name === "mail"),
      { name: "mail", status: "ok", message: `127.0.0.1:${smtp.port} answers` },
    );
    assert.equal(await second.kill("SIGTERM"), 0);
    for (const text of [first.stdout(), first.stderr(), second.stdout(), second.stderr(), doctor.stdout, doctor.stderr])
      assert.ok(!text.includes("hidden-password"));
  });
});
