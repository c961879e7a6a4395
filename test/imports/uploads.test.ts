import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { IMPORT_LIMITS } from "../../src/contract/import-limits.ts";
import { createUploadFiles, PartsMissing } from "../../src/imports/upload-files.ts";
import { startApi } from "../support/api.ts";
import { runHere } from "../support/command.ts";
import { addPerson, newPerson, type TestPerson } from "../support/people.ts";
import { makeDataDir, readCredentials, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { makeZip } from "./archives.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

interface Import {
  id: string;
  state: string;
  receivedBytes: number;
  doneBytes: number;
  fileBytes: number;
  rows: number;
  events: number;
  refused: number;
  message: string | null;
  source: string | null;
  columns: Record<string, string>;
  values: Record<string, string>;
  days: { firstDay: string; lastDay: string } | null;
}

describe("a file that is sent and imported", () => {
  const data = makeDataDir();
  let service: TestService;
  let person: TestPerson;
  before(async () => {
    service = await startService(data.dir);
    const { setupUrl = "" } = readCredentials(data.dir) as unknown as { setupUrl?: string };
    person = newPerson(service.apiUrl);
    const token = new URL(setupUrl).hash.replace("#token=", "");
    await person.get("POST", "/api/setup", { token, name: "Ada", password: "correct horse battery" });
  });
  after(async () => {
    await service.kill("SIGTERM");
    data.remove();
  });

  async function createProject(): Promise<string> {
    const made = await runHere(data.dir, ["projects", "create", `Import ${Math.random()}`, "--json"]);
    return (JSON.parse(made.out) as { id: string }).id;
  }

  const begin = (project_id: string, fileName: string, fileBytes: number) =>
    person.get<Import>("POST", "/api/imports", { project_id, fileName, fileBytes });
  const read = (id: string) => person.get<Import>("GET", `/api/imports/${id}`);
  const sendPart = (id: string, offset: number, body: Uint8Array<ArrayBuffer>, type = "application/octet-stream") =>
    fetch(`${service.apiUrl}/api/imports/${id}/file?offset=${offset}`, {
      method: "PUT",
      headers: { cookie: person.cookie, "content-type": type },
      body,
    });
  async function upload(project: string, fileName: string, content: Uint8Array<ArrayBuffer>): Promise<string> {
    const { id } = await begin(project, fileName, content.length);
    assert.equal((await sendPart(id, 0, content)).status, 200);
    return id;
  }
  const waitForState = (id: string, state: string) =>
    waitFor(`the import to be ${state}`, async () => {
      const found = await read(id);
      if (state !== "failed") assert.notEqual(found.state, "failed", found.message ?? "");
      return found.state === state && found;
    });
  const sumOf = async (project: string) => {
    const { out } = await runHere(data.dir, ["--json", "events", "ledger", "--project", project]);
    const lines = JSON.parse(out) as Record<string, number>[];
    const sum = (name: string) => lines.reduce((total, line) => total + (line[name] ?? 0), 0);
    return { stored: sum("stored"), duplicate: sum("duplicate"), refused: sum("refused") };
  };

  test("arrives in parts, each at its place: a wrong, foreign or large one changes nothing", async () => {
    const content = new Uint8Array(readFileSync(join(FIXTURES, "umami.csv")));
    const { id, state, receivedBytes } = await begin(await createProject(), "umami.csv", content.length);
    assert.deepEqual([state, receivedBytes], ["receiving", 0]);
    const half = Math.floor(content.length / 2);
    assert.equal((await sendPart(id, half, content.slice(half))).status, 409);
    assert.equal((await sendPart(id, 0, content.slice(0, half), "application/json")).status, 415);
    assert.equal((await sendPart(id, 0, new Uint8Array(content.length + 1))).status, 413);
    assert.equal((await read(id)).receivedBytes, 0);
    assert.equal((await sendPart(id, 0, content.slice(0, half))).status, 200);
    assert.equal((await person.send("POST", `/api/imports/${id}/preview`, {})).status, 400);
    assert.equal((await person.send("POST", `/api/imports/${id}/start`, {})).status, 409);
    assert.equal((await sendPart(id, half, content.slice(half))).status, 200);
    assert.equal((await read(id)).state, "ready");
    assert.deepEqual(readFileSync(join(data.dir, "imports", id, "umami.csv")), Buffer.from(content));
    assert.equal((await sendPart(id, content.length, new Uint8Array(1))).status, 409);
  });

  test("the preview knows the product, and shows events, columns and what would be refused", async () => {
    const id = await upload(
      await createProject(),
      "../../umami .csv",
      new Uint8Array(readFileSync(join(FIXTURES, "umami.csv"))),
    );
    assert.ok(existsSync(join(data.dir, "imports", id, "_.._umami_.csv")));
    const preview = await person.get<Record<string, unknown>>("POST", `/api/imports/${id}/preview`, {});
    const { source, rows, events, isWhole } = preview;
    assert.deepEqual({ source, rows, events, isWhole }, { source: "umami", rows: 3, events: 2, isWhole: true });
    const columns = preview.columns as string[];
    assert.ok(columns.includes("event_id") && columns.includes("browser"));
    const [first] = preview.first as Record<string, unknown>[];
    assert.equal(first?.type, "page");
    const [why] = preview.refused as { rows: number; at: string; reason: string }[];
    assert.deepEqual([why?.rows, typeof why?.reason], [1, "string"]);
    for (const body of [{ source: "no" }, { columns: { nothing: "a" } }, { source: "umami", columns: { event: "a" } }])
      assert.equal((await person.send("POST", `/api/imports/${id}/preview`, body)).status, 400);
  });

  test("goes on after kill -9: each row is an event once or a refused row once, and the file is gone", async (t) => {
    const project = await createProject();
    // Sent in more than a second: its cursor is saved before its end, and the next start goes on in its middle.
    const ROWS = 80_000;
    const REFUSED = ROWS / 100;
    const lines = Array.from({ length: ROWS }, (_, n) =>
      n % 100 === 7
        ? `{"paid_at":"never","customer":"c${n}"}`
        : `{"paid_at":${1_700_000_000 + n},"customer":"c${n % 500}","no":${n},"total":${n}.5}`,
    );
    const content = new Uint8Array(Buffer.from(`${lines.join("\n")}\n`));
    const { id } = await begin(project, "orders.ndjson", content.length);
    const step = 1024 * 1024;
    for (let from = 0; from < content.length; from += step)
      assert.equal((await sendPart(id, from, content.slice(from, from + step))).status, 200);
    const reading = { source: "generic", columns: { timestamp: "paid_at", user_id: "customer", key: "no" } };
    const values = { event: "Order" };
    const started = await person.get<Import>("POST", `/api/imports/${id}/start`, { ...reading, values });
    assert.equal(started.state, "waiting");
    assert.equal((await person.send("POST", `/api/imports/${id}/start`, {})).status, 409);
    const cut = await waitFor("a part of it", async () => {
      const found = await read(id);
      return found.events > 0 && found;
    });
    await service.kill("SIGKILL");
    t.diagnostic(`killed after ${cut.rows} rows, ${cut.doneBytes} of ${cut.fileBytes} bytes`);
    service = await startService(data.dir);
    person = newPerson(service.apiUrl, person.cookie);
    const done = await waitForState(id, "done");
    assert.deepEqual(
      [done.rows, done.events, done.refused, done.doneBytes],
      [ROWS, ROWS - REFUSED, REFUSED, content.length],
    );
    // The refused rows of a batch are sent after its events, and again where the kill came before the cursor was saved.
    const { stored } = await waitFor("all rows to be in the ledger", async () => {
      const sum = await sumOf(project);
      return sum.stored >= ROWS - REFUSED && sum.refused >= REFUSED && sum;
    });
    assert.equal(stored, ROWS - REFUSED);
    const listed = await (await person.send("GET", `/api/imports/${id}/refused`)).text();
    const wrong = listed
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { line: number }).line);
    assert.deepEqual(
      wrong,
      Array.from({ length: REFUSED }, (_, n) => n * 100 + 8),
    );
    await waitFor("the file, which is imported, to be gone", () => !existsSync(join(data.dir, "imports", id)));
  });

  for (const hasFile of [true, false])
    test(`ended after its last row and before it could say so, ${hasFile ? "with" : "without"} its file, it is done at the next start and not sent twice`, async () => {
      const project = await createProject();
      const content = readFileSync(join(FIXTURES, "umami.csv"));
      const id = await upload(project, "umami.csv", new Uint8Array(content));
      await person.get("POST", `/api/imports/${id}/start`, {});
      const first = await waitForState(id, "done");
      const counted = { stored: first.events, duplicate: 0, refused: first.refused };
      await waitFor("all rows to be counted", async () => isDeepStrictEqual(await sumOf(project), counted));
      const dir = join(data.dir, "imports", id);
      await waitFor("the file to be gone", () => !existsSync(dir));
      await service.kill("SIGKILL");
      const control = new DatabaseSync(join(data.dir, "control.sqlite"));
      const reopen =
        "UPDATE tasks SET state = 'running', ended_at = NULL WHERE id = (SELECT task_id FROM uploads WHERE id = ?)";
      assert.equal(control.prepare(reopen).run(id).changes, 1);
      control.close();
      if (hasFile) {
        mkdirSync(dir);
        writeFileSync(join(dir, "umami.csv"), content);
      }
      service = await startService(data.dir);
      person = newPerson(service.apiUrl, person.cookie);
      const done = await waitForState(id, "done");
      assert.deepEqual([done.rows, done.events, done.refused], [first.rows, first.events, first.refused]);
      await waitFor("the file to be gone", () => !existsSync(dir));
      // What was sent twice would be stored before this one.
      const later = await upload(
        project,
        "later.csv",
        new Uint8Array(Buffer.from("when,who\n2024-03-01T10:00:00Z,a\n")),
      );
      const reading = { columns: { timestamp: "when", anonymous_id: "who" }, values: { event: "Visit" } };
      await person.get("POST", `/api/imports/${later}/start`, { source: "generic", ...reading });
      await waitForState(later, "done");
      await waitFor("the later event", async () => (await sumOf(project)).stored > counted.stored);
      assert.deepEqual(await sumOf(project), { ...counted, stored: counted.stored + 1 });
    });

  test("a wrong file fails with its line, is started again in another way, and is deleted with its rows", async () => {
    const project = await createProject();
    const id = await upload(project, "orders.csv", new Uint8Array(Buffer.from("when,who\n2024-03-01T10:00:00Z,a\n")));
    await person.get("POST", `/api/imports/${id}/start`, { source: "umami" });
    const failed = await waitForState(id, "failed");
    assert.match(failed.message ?? "", /orders\.csv, line 2: no export of Umami/);
    const columns = { timestamp: "when", anonymous_id: "who" };
    await person.get("POST", `/api/imports/${id}/start`, { source: "generic", columns, values: { event: "Visit" } });
    const done = await waitForState(id, "done");
    assert.deepEqual([done.rows, done.events, done.refused], [1, 1, 0]);
    assert.equal(await (await person.send("GET", `/api/imports/${id}/refused`)).text(), "");
    await person.get("DELETE", `/api/imports/${id}`);
    assert.equal((await person.send("GET", `/api/imports/${id}`)).status, 404);
    const audit = await person.get<{ action: string; target: string }[]>("GET", "/api/settings/audit-log");
    assert.deepEqual(
      audit.filter(({ target }) => target === id).map(({ action }) => action),
      ["deleteImport", "startImport", "startImport", "createImport"],
    );
  });

  test("started without a word it is read by its columns, and again as it was before", async () => {
    const project = await createProject();
    const umami = new Uint8Array(readFileSync(join(FIXTURES, "umami.csv")));
    const known = await upload(project, "umami.csv", umami);
    await person.get("POST", `/api/imports/${known}/start`, {});
    assert.equal((await waitForState(known, "done")).source, "umami");
    const other = await upload(project, "orders.csv", new Uint8Array(Buffer.from("when,who\nnever,a\n")));
    const mapping = { columns: { timestamp: "when", anonymous_id: "who" }, values: { event: "Visit" } };
    await person.get("POST", `/api/imports/${other}/start`, { source: "generic", ...mapping });
    const failed = await waitForState(other, "failed");
    const again = await person.get<Import>("POST", `/api/imports/${other}/start`, {});
    for (const { source, columns, values } of [failed, again])
      assert.deepEqual({ source, columns, values }, { source: "generic", ...mapping });
    await waitForState(other, "failed");
  });

  test("the zip of Plausible becomes days that reports add, which are listed, and deleted exactly", async () => {
    const project = await createProject();
    const files = readdirSync(join(FIXTURES, "plausible"));
    const readOne = (name: string) => [name, readFileSync(join(FIXTURES, "plausible", name))] as const;
    const zip = new Uint8Array(makeZip(Object.fromEntries(files.map(readOne))));
    const id = await upload(project, "export.zip", zip);
    const preview = await person.get<Record<string, unknown>>("POST", `/api/imports/${id}/preview`, {});
    const { source, rows, events, earliest, latest, refused } = preview;
    assert.deepEqual(
      { source, rows, events, earliest, latest, refused },
      {
        ...{ source: "plausible", rows: 3, events: 3, refused: [] },
        ...{ earliest: "2024-01-01T00:00:00.000Z", latest: "2024-01-03T00:00:00.000Z" },
      },
    );
    const [first] = preview.first as Record<string, unknown>[];
    assert.deepEqual([first?.day, first?.visitors, first?.pageviews], ["2024-01-01", 10, 25]);
    const mapped = { source: "plausible", columns: { event: "a" } };
    assert.equal((await person.send("POST", `/api/imports/${id}/preview`, mapped)).status, 400);

    await person.get("POST", `/api/imports/${id}/start`, {});
    const done = await waitForState(id, "done");
    assert.deepEqual([done.source, done.days], ["plausible", { firstDay: "2024-01-01", lastDay: "2024-01-03" }]);
    assert.ok(done.rows > 30 && done.events === 0);
    const visitors = async () => {
      const query = `project_id=${project}&date_from=2024-01-01&date_to=2024-01-03&interval=all`;
      return (await person.get<{ visitors: number }[]>("GET", `/v0/kpis?${query}`))[0]?.visitors;
    };
    assert.equal(await visitors(), 37);
    const days = await person.get<{ day: string; visitors: number }[]>("GET", `/api/imports/${id}/days`);
    assert.deepEqual(
      days.map(({ day, visitors: n }) => [day, n]),
      [
        ["2024-01-01", 10],
        ["2024-01-02", 20],
        ["2024-01-03", 7],
      ],
    );
    // Days of another file that overlap, and a file that is none of Plausible's.
    const visitorsFile = "imported_visitors_20240103_20240104.csv";
    const other = await upload(project, visitorsFile, new Uint8Array(Buffer.from("date,visitors\n2024-01-03,1\n")));
    await person.get("POST", `/api/imports/${other}/start`, {});
    assert.match(
      (await waitForState(other, "failed")).message ?? "",
      /has days from 2024-01-01 to 2024-01-03: delete it/,
    );
    const wrong = await upload(project, "wrong.csv", new Uint8Array(Buffer.from("a,b\n1,2\n")));
    const why = await person.send("POST", `/api/imports/${wrong}/preview`, { source: "plausible" });
    assert.equal(why.status, 400);
    assert.match(await why.text(), /cannot be read as a zip/);

    const gone = await person.get<{ sums: number }>("DELETE", `/api/imports/${id}`);
    assert.equal(gone.sums, done.rows);
    assert.equal((await person.send("GET", `/api/imports/${id}`)).status, 404);
    assert.equal(await visitors(), 0);
    await person.get("POST", `/api/imports/${other}/start`, {});
    await waitForState(other, "done");
    assert.equal(await visitors(), 1);
  });

  test("a list of wallets becomes profiles with properties and labels, and other rows are refused", async () => {
    const project = await createProject();
    const [one, two] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`];
    const text = `address,display_name,Tier\n${one},Ada,gold\nnobody,Bob,\n${two},,silver\n`;
    const id = await upload(project, "holders.csv", new Uint8Array(Buffer.from(text)));
    const found = await person.get<Record<string, unknown>>("POST", `/api/imports/${id}/preview`, {});
    assert.deepEqual([found.source, found.rows, found.events], ["wallets", 3, 2]);
    assert.ok((found.fields as string[]).includes("display_name"));
    const reading = { source: "wallets", columns: { "label.tier": "Tier" }, values: { "label.from": "dune" } };
    for (const body of [
      { ...reading, columns: { event: "Tier" } },
      { source: "umami", columns: { address: "a" } },
    ])
      assert.equal((await person.send("POST", `/api/imports/${id}/preview`, body)).status, 400);
    const preview = await person.get<{ first: unknown[] }>("POST", `/api/imports/${id}/preview`, reading);
    assert.deepEqual(preview.first[0], {
      address: one,
      properties: { display_name: "Ada" },
      labels: [
        { tag_id: "tier", value: "gold" },
        { tag_id: "from", value: "dune" },
      ],
    });
    await person.get("POST", `/api/imports/${id}/start`, reading);
    const done = await waitForState(id, "done");
    assert.deepEqual([done.source, done.rows, done.events, done.refused], ["wallets", 3, 2, 1]);
    const answer = await person.send("GET", `/v0/profiles/${one}?expand=labels&project_id=${project}`);
    const profile = (await answer.json()) as { display_name: string; labels: { id: string; value: string }[] };
    assert.equal(profile.display_name, "Ada");
    assert.deepEqual(profile.labels.map(({ id: tag, value }) => `${tag}=${value}`).sort(), ["from=dune", "tier=gold"]);
    assert.deepEqual(await sumOf(project), { stored: 0, duplicate: 0, refused: 0 });
  });

  test("a part whose earlier parts are not on this machine is refused, and so is a name of several lines", async () => {
    const project_id = await createProject();
    const { id } = await begin(project_id, "a.csv", 20);
    assert.equal((await sendPart(id, 0, new Uint8Array(10))).status, 200);
    rmSync(join(data.dir, "imports", id), { recursive: true });
    const refused = await sendPart(id, 10, new Uint8Array(10));
    assert.equal(refused.status, 409);
    assert.match(await refused.text(), /not on this machine/);
    for (const fileName of ["a\u0000.csv", "a\nb.csv", " "])
      assert.equal((await person.send("POST", "/api/imports", { project_id, fileName, fileBytes: 1 })).status, 400);
  });

  test("a file beyond the room of the disk is refused before it is sent", async () => {
    const made = { project_id: await createProject(), fileName: "large.ndjson", fileBytes: 9e15 };
    assert.equal((await person.send("POST", "/api/imports", made)).status, 503);
  });
});

test("a file beyond what its workspace may keep is refused, with what is left, and so is one file too many", async (t) => {
  const api = await startApi("sqlite", {}, []);
  t.after(api.stop);
  const { workspaceId } = await api.createKey();
  const project_id = await api.createProject(workspaceId, "App");
  const person = await addPerson(api, workspaceId, "editor");
  const ask = (fileBytes: number) => person.send("POST", "/api/imports", { project_id, fileName: "a.csv", fileBytes });
  assert.equal((await ask(600e6)).status, 201);
  const refused = await ask(600e6);
  assert.equal(refused.status, 409);
  assert.match(await refused.text(), /has 0\.6 GB, and the workspace has room for 0\.4 GB/);
  for (let n = 1; n < IMPORT_LIMITS.openUploads; n += 1) assert.equal((await ask(1)).status, 201);
  assert.equal((await ask(1)).status, 409);
});

test("a first part that comes again and ends in its middle takes nothing of the one that was recorded", async (t) => {
  const { dir, remove } = makeDataDir();
  t.after(remove);
  const files = createUploadFiles({ dir, maxBytes: 1e9, reserveBytes: 0 });
  const upload = { id: "upl_1", fileName: "a.csv" };
  const content = Buffer.from("0123456789");
  assert.equal(await files.writePart(upload, Readable.from([content]), { from: 0, most: 20 }), 10);
  const cut = Readable.from(
    (function* () {
      yield content.subarray(0, 3);
      throw new Error("the connection is gone");
    })(),
  );
  await assert.rejects(files.writePart(upload, cut, { from: 0, most: 20 }), /the connection is gone/);
  assert.deepEqual(readFileSync(files.pathOf(upload)), content);
  const next = { from: 10, most: 10 };
  await assert.rejects(files.writePart({ ...upload, id: "upl_2" }, Readable.from([content]), next), PartsMissing);
});
