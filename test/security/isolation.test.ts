import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { defaultServers } from "../../scripts/generate/openapi.ts";
import { createPasskey } from "../../src/accounts/passkeys.ts";
import { createWallet } from "../../src/accounts/wallets.ts";
import { REPORT_NAMES, type ReportName } from "../../src/contract/reports.ts";
import { createBiToken } from "../../src/control/bi-tokens.ts";
import { createKeyText } from "../../src/control/key-text.ts";
import { startImport } from "../../src/imports/imports-table.ts";
import { decodeRequest } from "../../src/ingest/logged-request.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { newId } from "../../src/lib/ids.ts";
import { createLiveHub, type LiveHub } from "../../src/query/live/hub.ts";
import { createRunLookup, type RunLookup } from "../../src/query/run/run-lookup.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { startApi, TEST_SECRET, type TestApi, type TestKey } from "../support/api.ts";
import { quietLog } from "../support/control.ts";
import { expectStream } from "../support/event-stream.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter, startLocalEngine } from "../support/local-engine.ts";
import { addPerson } from "../support/people.ts";

/**
 * Every route of the tables has its case here; a route without one fails the first test. A case checks what a key of
 * another workspace sees. "own" routes take no resource and answer only about the caller, which the case checks.
 */
type Case =
  | { kind: "open"; why: string }
  | { kind: "own"; check(api: TestApi, mine: TestKey, other: TestKey): Promise<void> }
  /** Called with another workspace's resource and with an unknown one: the two responses must be the same bytes. */
  | { kind: "foreign"; call(api: TestApi, key: TestKey, resource: "foreign" | "absent"): Promise<Response> };

/** The project a request is logged under is the key's own, whatever the request says. */
function ownLog(path: string): Case {
  return {
    kind: "own",
    async check(api, _mine, other) {
      const sender = await api.createWriteKey();
      const from = api.log.end();
      const foreign = { project_id: other.workspaceId, projectId: other.workspaceId, workspace_id: other.workspaceId };
      const answer = await fetch(`${api.eventsUrl}${path}?project_id=${other.workspaceId}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${sender.text}`,
          "content-type": "application/json",
          "x-project-id": other.workspaceId,
        },
        body: JSON.stringify({ ...sampleEvent("isolated"), ...foreign }),
      });
      assert.equal(answer.status, 200);
      const { records } = await api.log.read(from, { maxBytes: 1_000_000, maxRecords: 10 });
      const logged = records.map((record) => decodeRequest(record.payload).request);
      assert.deepEqual(
        logged.map(({ projectId, workspaceId }) => ({ projectId, workspaceId })),
        [{ projectId: sender.projectId, workspaceId: sender.workspaceId }],
      );
    },
  };
}

/** A report covers the caller's projects alone, and asking for another's is asking for one that does not exist. */
function ownReport(path: string, query = ""): Case {
  return {
    kind: "own",
    async check(api, mine, other) {
      const own = await api.createProject(mine.workspaceId, `Own ${path}`);
      const foreign = await api.createProject(other.workspaceId, `Secret ${path}`);
      const ask = (more: string) =>
        fetch(`${api.apiUrl}${path}?${query}&${more}`, { headers: { authorization: `Bearer ${mine.text}` } });
      const { scope } = (await (await ask("")).json()) as { scope: { projects: { id: string }[] } };
      const seen = scope.projects.map(({ id }) => id);
      assert.ok(seen.includes(own) && !seen.includes(foreign));
      const [theirs, absent] = [await ask(`project_id=${foreign}`), await ask(`project_id=${newId("prj")}`)];
      assert.equal(theirs.status, 404);
      assert.equal(await theirs.text(), await absent.text());
      await expectOwnSegments(api, other, foreign, ask);
    },
  };
}

/** Another's segment does not exist. */
async function expectOwnSegments(
  api: TestApi,
  other: TestKey,
  foreign: string,
  ask: (query: string) => Promise<Response>,
) {
  const { id } = await saveSegment(api, other, foreign);
  const [theirs, absent] = [await ask(`segment=${id}`), await ask(`segment=${newId("seg")}`)];
  assert.equal(theirs.status, 404);
  assert.equal(await theirs.text(), await absent.text());
}

/** Events of another workspace are neither shown nor counted. */
function ownEvents(
  path: string,
  countEvents: (answer: unknown) => number,
  parameters = "",
  { takesSegment = false } = {},
): Case {
  return {
    kind: "own",
    async check(api, mine, other) {
      const own = await api.createProject(mine.workspaceId, `Own ${path}`);
      const foreign = await api.createProject(other.workspaceId, `Secret ${path}`);
      await warehouse.store(own, 2);
      await warehouse.store(foreign, 3);
      const ask = (query: string) =>
        fetch(`${api.apiUrl}${path}?${parameters}&${query}`, { headers: { authorization: `Bearer ${mine.text}` } });
      assert.equal(countEvents(await (await ask(`project_id=${own}`)).json()), 2);
      const text = await (await ask("")).text();
      assert.ok(!text.includes(foreign));
      const [theirs, absent] = [await ask(`project_id=${foreign}`), await ask(`project_id=${newId("prj")}`)];
      assert.equal(theirs.status, 404);
      assert.equal(await theirs.text(), await absent.text());
      if (takesSegment) await expectOwnSegments(api, other, foreign, ask);
    },
  };
}

/** A statement reads one project of the caller, and another's is one that does not exist. */
const OWN_SQL: Case = {
  kind: "own",
  async check(api, mine, other) {
    const [own, foreign] = [
      await api.createProject(mine.workspaceId, "Own SQL"),
      await api.createProject(other.workspaceId, "Secret SQL"),
    ];
    const ask = (project: string) =>
      fetch(`${api.apiUrl}/v0/query?project_id=${project}`, {
        method: "POST",
        headers: { authorization: `Bearer ${mine.text}`, "content-type": "application/json" },
        body: JSON.stringify({ query: "SELECT 1" }),
      });
    const { owner } = (await (await ask(own)).json()) as { owner: { workspaceId: string; project: { id: string } } };
    assert.deepEqual([owner.workspaceId, owner.project.id], [mine.workspaceId, own]);
    const [theirs, absent] = [await ask(foreign), await ask(newId("prj"))];
    assert.equal(theirs.status, 404);
    assert.equal(await theirs.text(), await absent.text());
  },
};

/** The same for everybody. */
const SQL_SCHEMA: Case = {
  kind: "own",
  async check(api, mine, other) {
    const ask = async (key: TestKey) =>
      (await fetch(`${api.apiUrl}/v0/query/schema`, { headers: { authorization: `Bearer ${key.text}` } })).text();
    assert.equal(await ask(mine), await ask(other));
  },
};

/** Another workspace's demo is neither shown nor touched. */
function ownDemo(method: string, status: number): Case {
  return {
    kind: "own",
    async check(api, mine) {
      const [other, fresh] = [await api.createKey(), await api.createKey()];
      const theirs = await addPerson(api, other.workspaceId, "admin");
      const { projectId } = await theirs.get<{ projectId: string }>("POST", "/api/demo", {});
      const me = await addPerson(api, fresh.workspaceId, "admin");
      const answer = await me.send(method, "/api/demo", method === "POST" ? {} : undefined);
      assert.equal(answer.status, status, `${mine.workspaceId} ${await answer.clone().text()}`);
      assert.ok(!(await answer.text()).includes(projectId));
      const state = await theirs.get<{ state: string; projectId: string }>("GET", "/api/demo");
      assert.deepEqual([state.state, state.projectId], ["sending", projectId]);
    },
  };
}

const FORM = { title: "Secret form", fields: [{ label: "Name", type: "short_text" }] };

function callApi(api: TestApi, key: TestKey, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${api.apiUrl}${path}`, {
    method,
    headers: { "x-api-key": key.text, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

async function createForm(api: TestApi, key: TestKey): Promise<string> {
  const answer = await callApi(api, key, "POST", "/api/forms", FORM);
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

/** A form of a third workspace, with a submission in it, or the id of none. */
async function formOfAnother(api: TestApi, resource: "foreign" | "absent"): Promise<string> {
  if (resource === "absent") return newId("frm");
  const formId = await createForm(api, await api.createKey());
  await fetch(`${api.apiUrl}/f/${formId}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Somebody" }),
  });
  return formId;
}

function foreignForm(method: string, rest: string, body?: object): Case {
  return {
    kind: "foreign",
    call: async (api, key, resource) =>
      callApi(api, key, method, `/api/forms/${await formOfAnother(api, resource)}${rest}`, body),
  };
}

function foreignSubmission(method: string, rest = ""): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const form = await formOfAnother(api, "foreign");
      const find = () => api.store.read.selectFrom("submissions").select("id").where("form_id", "=", form);
      const { id } = await find().executeTakeFirstOrThrow();
      // Under the caller's own form, and under the other's: the submission is not there either way.
      const own = await createForm(api, key);
      const under = await callApi(api, key, method, `/api/forms/${own}/submissions/${id}${rest}`);
      const absent = await callApi(api, key, method, `/api/forms/${own}/submissions/${newId("sub")}${rest}`);
      assert.equal(under.status, 404);
      assert.deepEqual(await under.bytes(), await absent.bytes());
      const [formId, submissionId] = resource === "foreign" ? [form, id] : [newId("frm"), newId("sub")];
      const answer = await callApi(api, key, method, `/api/forms/${formId}/submissions/${submissionId}${rest}`);
      assert.equal((await find().execute()).length, 1, "it is still there");
      return answer;
    },
  };
}

const TARGET = "http://127.0.0.1:9/secret-hook";

async function createWebhook(api: TestApi, key: TestKey): Promise<string> {
  const wanted = { formId: await createForm(api, key), targetUrl: TARGET, eventTypes: ["FORM_SUBMISSION"] };
  const answer = await callApi(api, key, "POST", "/api/webhooks", wanted);
  return ((await answer.json()) as { data: { webhookId: string } }).data.webhookId;
}

/** A webhook of a third workspace with a delivery, or the ids of none. */
async function webhookOfAnother(api: TestApi, resource: "foreign" | "absent") {
  if (resource === "absent") return { webhookId: newId("whk"), deliveryId: newId("dlv") };
  const key = await api.createKey();
  const webhookId = await createWebhook(api, key);
  const answer = await callApi(api, key, "POST", `/api/webhooks/${webhookId}/test`);
  return { webhookId, deliveryId: ((await answer.json()) as { data: { deliveryId: string } }).data.deliveryId };
}

function foreignWebhook(
  method: string,
  path: (ids: { webhookId: string; deliveryId: string }) => string,
  body?: object,
): Case {
  return {
    kind: "foreign",
    call: async (api, key, resource) =>
      callApi(api, key, method, `/api/webhooks${path(await webhookOfAnother(api, resource))}`, body),
  };
}

/** A user of the caller's workspace, and one of another. */
async function twoUsers(api: TestApi, mine: TestKey, other: TestKey) {
  return [await addPerson(api, mine.workspaceId, "admin"), await addPerson(api, other.workspaceId, "admin")] as const;
}

/** A route of a signed-in user, who learns nothing about another. */
function ownAccount(method: string, path: string, body?: object): Case {
  return {
    kind: "own",
    async check(api, mine, other) {
      const [me, stranger] = await twoUsers(api, mine, other);
      const answer = await me.send(method, path, body);
      assert.ok(answer.ok, `${answer.status}`);
      const text = await answer.text();
      for (const foreign of [stranger.userId, stranger.sessionId, other.workspaceId])
        assert.ok(!text.includes(foreign), text);
      assert.equal((await stranger.send("GET", "/api/account")).status, 200, "the stranger's session goes on");
    },
  };
}
const DATES = "date_from=2026-03-01&date_to=2026-03-07";
const STEP = encodeURIComponent(JSON.stringify({ type: "event", event: "page" }));
const STEPS = `[${STEP},${STEP}]`;

/** The parameters without which a report refuses to answer, and those that read more days. */
const REPORT_PARAMETERS: Partial<Record<ReportName, string>> = {
  revenue_by_metric: "metric_column=referrer",
  volume_by_metric: "metric_column=referrer",
  breakdown: "metric_column=referrer&include_previous_period=true",
  revenue_timeseries: "address=0xabc",
  funnel: `${DATES}&steps=${STEPS}`,
  flow: `${DATES}&start_step=${STEP}`,
};
const REPORT_CASES = Object.fromEntries(
  REPORT_NAMES.map((name) => [`GET /v0/${name}`, ownReport(`/v0/${name}`, REPORT_PARAMETERS[name])]),
);

/** A route of a member, called with an id of another workspace, or with that of none. */
function foreignSetting(
  method: string,
  path: (id: string) => string,
  make: (api: TestApi, stranger: TestKey) => Promise<string>,
  absent: () => string,
  body?: object | ((id: string) => object),
): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const me = await addPerson(api, key.workspaceId, "owner");
      const id = resource === "foreign" ? await make(api, await api.createKey()) : absent();
      return me.send(method, path(id), typeof body === "function" ? body(id) : body);
    },
  };
}

const WALLET = { address: `0x${"0".repeat(39)}1`, chainId: 1 };

/** A challenge that was made for somebody else is not taken. */
function strangersChallenge(path: string, answer: object): Case {
  return {
    kind: "own",
    async check(api, mine, other) {
      const [me, stranger] = await twoUsers(api, mine, other);
      const begun = await stranger.get<{ challengeToken: string }>("POST", `${path}/begin`, WALLET);
      const sent = await me.send("POST", `${path}/finish`, { ...answer, challengeToken: begun.challengeToken });
      assert.equal(sent.status, 400);
    },
  };
}

/** A passkey or wallet of somebody else. */
function foreignMethod(kind: "passkeys" | "wallets", prefix: "psk" | "wlt"): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const [me, stranger] = await twoUsers(api, key, await api.createKey());
      const id = await api.store.write(async (tx) => {
        if (kind === "wallets")
          return (await createWallet(tx, { userId: stranger.userId, address: newId("0x"), chainId: null }, 0))?.id;
        const made = { credentialId: newId("x"), publicKey: new Uint8Array(), counter: 0, transports: [], name: "x" };
        return (await createPasskey(tx, { ...made, userId: stranger.userId }, 0))?.id;
      });
      return me.send("DELETE", `/api/account/${kind}/${resource === "foreign" ? id : newId(prefix)}`);
    },
  };
}

const makeUser = async (api: TestApi, { workspaceId }: TestKey) => (await addPerson(api, workspaceId, "viewer")).userId;
const makeProject = (api: TestApi, { workspaceId }: TestKey) => api.createProject(workspaceId, "Secret");
const makeKey = async (_api: TestApi, { id }: TestKey) => id;
const makeWriteKey = async (api: TestApi) => (await api.createWriteKey()).id;
async function makeBiToken(api: TestApi, { workspaceId }: TestKey): Promise<string> {
  const token = { text: createKeyText("bi"), name: "T", expiresAtMs: null };
  const projectId = await api.createProject(workspaceId, newId("prj"));
  return (
    await api.store.write((tx) => createBiToken(tx, workspaceId, TEST_SECRET, { ...token, projectId }, Date.now()))
  ).id;
}
async function makeInvite(api: TestApi, { workspaceId }: TestKey): Promise<string> {
  const admin = await addPerson(api, workspaceId, "admin");
  return (await admin.get<{ id: string }>("POST", "/api/settings/invites", { role: "viewer" })).id;
}

function callV0(api: TestApi, key: TestKey, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${api.apiUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key.text}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

interface ProjectResource {
  /** `/v0/...`; a resource is changed at `<path>/:<id>`. */
  path: string;
  id: string;
  /** Of its ids. */
  prefix: string;
  /** What creates one, beside its project. */
  body: object;
  /** What changes one, where it can be changed. */
  changes?: object;
}

/** A resource of a project: its list and its project are the caller's own, and another's id is an unknown one. */
function projectResource({ path, id, prefix, body, changes }: ProjectResource): Record<string, Case> {
  const create = async (api: TestApi, key: TestKey) => {
    const project_id = await api.createProject(key.workspaceId, newId("prj"));
    const made = await callV0(api, key, "POST", path, { project_id, ...body });
    assert.equal(made.status, 201);
    return (await made.json()) as { id: string; project_id: string };
  };
  const foreign = (method: string, sent?: object): Case => ({
    kind: "foreign",
    async call(api, key, resource) {
      const known = resource === "absent" ? newId(prefix) : (await create(api, await api.createKey())).id;
      return callV0(api, key, method, `${path}/${known}`, sent);
    },
  });
  return {
    [`GET ${path}`]: {
      kind: "own",
      async check(api, mine, other) {
        const ask = (query: string) => callV0(api, mine, "GET", `${path}${query}`);
        const [theirs, own] = [await create(api, other), await create(api, mine)];
        assert.ok((await (await ask(`?project_id=${own.project_id}`)).text()).includes(own.id));
        assert.ok(!(await (await ask("")).text()).includes(theirs.id));
        const [refused, absent] = [
          await ask(`?project_id=${theirs.project_id}`),
          await ask(`?project_id=${newId("prj")}`),
        ];
        assert.equal(refused.status, 404);
        assert.equal(await refused.text(), await absent.text());
      },
    },
    [`POST ${path}`]: {
      kind: "foreign",
      async call(api, key, resource) {
        const project_id =
          resource === "absent" ? newId("prj") : await api.createProject((await api.createKey()).workspaceId, "Secret");
        return callV0(api, key, "POST", path, { project_id, ...body });
      },
    },
    ...(changes === undefined ? {} : { [`PATCH ${path}/:${id}`]: foreign("PATCH", changes) }),
    [`DELETE ${path}/:${id}`]: foreign("DELETE"),
  };
}

const SCHEDULE = { title: "Secret report", every: "week", recipients: [] };

function foreignSchedule(method: string, below: string): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const other = await api.createKey();
      const project_id = await api.createProject(other.workspaceId, newId("prj"));
      const made = await callV0(api, other, "POST", "/v0/report_schedules", { ...SCHEDULE, project_id });
      const { id } = (await made.json()) as { id: string };
      return callV0(api, key, method, `/v0/report_schedules/${resource === "absent" ? newId("rsc") : id}${below}`);
    },
  };
}

async function askAddress(api: TestApi, key: TestKey, address: string): Promise<string> {
  const asked = await callV0(api, key, "POST", "/v0/mail_addresses", { address });
  assert.equal(asked.status, 201);
  return ((await asked.json()) as { id: string }).id;
}

const ALERT = { name: "Secret alert", trigger_type: "event", trigger_filters: [] };

function foreignAlert(method: string, below: string, body?: object): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const other = await api.createKey();
      const project_id = await api.createProject(other.workspaceId, newId("prj"));
      const made = await callV0(api, other, "POST", "/v0/alerts", { ...ALERT, project_id });
      const { id } = (await made.json()) as { id: string };
      return callV0(api, key, method, `/v0/alerts/${resource === "absent" ? newId("alrt") : id}${below}`, body);
    },
  };
}

async function saveSegment(
  api: TestApi,
  key: TestKey,
  project_id?: string,
): Promise<{ id: string; projectId: string }> {
  const body = {
    project_id: project_id ?? (await api.createProject(key.workspaceId, newId("prj"))),
    title: "Secret segment",
    filters: [{ field: "device", op: "eq", value: "desktop" }],
  };
  const answer = await callV0(api, key, "POST", "/v0/segments", body);
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as { id: string; projectId: string };
}

function foreignSegment(method: string, body?: object): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const id = resource === "absent" ? newId("seg") : (await saveSegment(api, await api.createKey())).id;
      return callV0(api, key, method, `/v0/segments/${id}`, body);
    },
  };
}

/** With a chart that needs no engine: the stand-in answers a report without columns. */
const CHART = { chart_type: "table", title: "Secret chart", report: "top_sources" };
async function makeBoard(api: TestApi, key: TestKey): Promise<{ id: string; project_id: string; chart: string }> {
  const project_id = await api.createProject(key.workspaceId, newId("prj"));
  const made = await callV0(api, key, "POST", "/v0/boards", { project_id, title: "Secret board" });
  const { id } = (await made.json()) as { id: string };
  const chart = (await (await callV0(api, key, "POST", `/v0/boards/${id}/charts`, CHART)).json()) as { id: string };
  return { id, project_id, chart: chart.id };
}

function foreignBoard(method: string, rest = "", body?: object): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const id = resource === "absent" ? newId("brd") : (await makeBoard(api, await api.createKey())).id;
      return callV0(api, key, method, `/v0/boards/${id}${rest}`, body);
    },
  };
}

/** Another's chart under another's board; it is not found under a board of one's own either. */
function foreignChart(method: string, rest = "", body?: object): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const theirs = await makeBoard(api, await api.createKey());
      const mine = await makeBoard(api, key);
      const under = await callV0(api, key, method, `/v0/boards/${mine.id}/charts/${theirs.chart}${rest}`, body);
      assert.equal(under.status, 404);
      const [board, chart] = resource === "foreign" ? [theirs.id, theirs.chart] : [newId("brd"), newId("cht")];
      return callV0(api, key, method, `/v0/boards/${board}/charts/${chart}${rest}`, body);
    },
  };
}

/** Another's link under another's board; it is not found under a board of one's own either. */
function foreignLink(method: string, body?: object): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const other = await api.createKey();
      const [theirs, mine] = [await makeBoard(api, other), await makeBoard(api, key)];
      const made = await callV0(api, other, "POST", `/v0/boards/${theirs.id}/links`, { title: "Secret link" });
      const { id: link } = (await made.json()) as { id: string };
      const under = await callV0(api, key, method, `/v0/boards/${mine.id}/links/${link}`, body);
      assert.equal(under.status, 404);
      const [board, one] = resource === "foreign" ? [theirs.id, link] : [newId("brd"), newId("lnk")];
      return callV0(api, key, method, `/v0/boards/${board}/links/${one}`, body);
    },
  };
}

/** Of a project of another workspace, or of none. What a project of one's own has is in test/profiles. */
function foreignProfiles(method: string, path: string, body?: object): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const project =
        resource === "absent" ? newId("prj") : await api.createProject((await api.createKey()).workspaceId, "Secret");
      return callV0(api, key, method, `${path}?project_id=${project}`, body);
    },
  };
}
/** A file that a person of a new workspace has begun to send. */
async function beginUpload(api: TestApi): Promise<{ person: Awaited<ReturnType<typeof addPerson>>; id: string }> {
  const { workspaceId } = await api.createKey();
  const project_id = await api.createProject(workspaceId, "Secret import");
  const person = await addPerson(api, workspaceId, "editor");
  const made = { project_id, fileName: "secret.csv", fileBytes: 10 };
  return { person, id: (await person.get<{ id: string }>("POST", "/api/imports", made)).id };
}

function foreignImport(method: string, rest = "", body?: object): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const id = resource === "foreign" ? (await beginUpload(api)).id : newId("upl");
      const me = await addPerson(api, key.workspaceId, "admin");
      return me.send(method, `/api/imports/${id}${rest}`, body);
    },
  };
}

/** Of an import of the command. */
function foreignDays(method: string, rest = ""): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const { workspaceId } = await api.createKey();
      const projectId = await api.createProject(workspaceId, "Secret days");
      const days = { firstDay: "2024-01-01", lastDay: "2024-01-02" };
      const made = { projectId, source: "plausible", fileName: "site.zip", fileBytes: 0, contentId: "days", days };
      const claim = { nowMs: 1_000, owner: "a", untilMs: 2_000 };
      const found = await api.store.write((tx) => startImport(tx, workspaceId, made, claim));
      assert.ok("id" in found);
      const me = await addPerson(api, key.workspaceId, "admin");
      const path = `/api/imports/${resource === "foreign" ? found.id : newId("imp")}`;
      for (const [verb, at] of [["GET", path] as const, ["DELETE", path] as const])
        assert.equal((await me.send(verb, at)).status, 404, `${verb} of another workspace's import`);
      assert.deepEqual(await me.get("GET", "/api/imports"), []);
      return me.send(method, `${path}${rest}`);
    },
  };
}
const IMPORT_CASES: Record<string, Case> = {
  "GET /api/imports": {
    kind: "own",
    async check(api) {
      const { person } = await beginUpload(api);
      const me = await addPerson(api, (await api.createKey()).workspaceId, "viewer");
      assert.equal((await person.get<unknown[]>("GET", "/api/imports")).length, 1);
      assert.deepEqual(await me.get("GET", "/api/imports"), []);
    },
  },
  "POST /api/imports": {
    kind: "foreign",
    async call(api, key, resource) {
      const theirs = await api.createProject((await api.createKey()).workspaceId, "Secret");
      const me = await addPerson(api, key.workspaceId, "editor");
      const project_id = resource === "foreign" ? theirs : newId("prj");
      return me.send("POST", "/api/imports", { project_id, fileName: "a.csv", fileBytes: 1 });
    },
  },
  "GET /api/imports/:importId": foreignImport("GET"),
  "DELETE /api/imports/:importId": foreignImport("DELETE"),
  "POST /api/imports/:importId/preview": foreignImport("POST", "/preview", {}),
  "POST /api/imports/:importId/start": foreignImport("POST", "/start", {}),
  "POST /api/imports/:importId/cancel": foreignImport("POST", "/cancel"),
  "GET /api/imports/:importId/refused": foreignImport("GET", "/refused"),
  "GET /api/imports/:importId/days": foreignDays("GET", "/days"),
  "PUT /api/imports/:importId/file": {
    kind: "foreign",
    async call(api, key, resource) {
      const id = resource === "foreign" ? (await beginUpload(api)).id : newId("upl");
      const { cookie } = await addPerson(api, key.workspaceId, "admin");
      const headers = { cookie, "content-type": "application/octet-stream" };
      return fetch(`${api.apiUrl}/api/imports/${id}/file?offset=0`, { method: "PUT", headers, body: "a,b" });
    },
  },
};

/** Of a project of another workspace, or of none. */
function foreignNotifications(method: "GET" | "POST"): Case {
  return {
    kind: "foreign",
    async call(api, key, resource) {
      const theirs = await api.createProject((await api.createKey()).workspaceId, "Secret");
      const me = await addPerson(api, key.workspaceId, "viewer");
      const project_id = resource === "foreign" ? theirs : newId("prj");
      if (method === "GET") return me.send("GET", `/api/notifications?project_id=${project_id}`);
      return me.send("POST", "/api/notifications/read", { project_id, until: "2026-03-31T12:00:00Z" });
    },
  };
}

const SOMEBODY = `/v0/profiles/0x${"a".repeat(40)}`;
const SOME_LABEL = { tag_id: "tier", value: "gold" };
const PROFILE_CASES: Record<string, Case> = {
  "GET /v0/profiles": foreignProfiles("GET", "/v0/profiles"),
  "POST /v0/profiles": foreignProfiles("POST", "/v0/profiles", { conditions: [] }),
  "POST /v0/profiles/search": foreignProfiles("POST", "/v0/profiles/search", { filters: [] }),
  "GET /v0/profiles/:address": foreignProfiles("GET", SOMEBODY),
  "GET /v0/profiles/:address/identities": foreignProfiles("GET", `${SOMEBODY}/identities`),
  "DELETE /v0/profiles/:address": foreignProfiles("DELETE", SOMEBODY),
  "PUT /v0/profiles/:address/properties": foreignProfiles("PUT", `${SOMEBODY}/properties`, { ens: "a.eth" }),
  "POST /v0/profiles/properties": foreignProfiles("POST", "/v0/profiles/properties", [
    { address: `0x${"a".repeat(40)}`, ens: "a.eth" },
  ]),
  "POST /v0/profiles/:address/labels": foreignProfiles("POST", `${SOMEBODY}/labels`, SOME_LABEL),
  "DELETE /v0/profiles/:address/labels": foreignProfiles("DELETE", `${SOMEBODY}/labels`, { tag_id: "tier" }),
  "POST /v0/profiles/labels": foreignProfiles("POST", "/v0/profiles/labels", [
    { address: `0x${"a".repeat(40)}`, ...SOME_LABEL },
  ]),
  "POST /v0/import": foreignProfiles("POST", "/v0/import", { addresses: [`0x${"a".repeat(40)}`] }),
};

const CASES: Record<string, Case> = {
  ...PROFILE_CASES,
  "GET /v0/boards/:boardId/links": foreignBoard("GET", "/links"),
  "POST /v0/boards/:boardId/links": foreignBoard("POST", "/links", { title: "Mine" }),
  "PATCH /v0/boards/:boardId/links/:linkId": foreignLink("PATCH", { title: "Taken" }),
  "DELETE /v0/boards/:boardId/links/:linkId": foreignLink("DELETE"),
  "GET /api/shared/:token": { kind: "open", why: "needs the token of a link" },
  "POST /api/shared/:token/open": { kind: "open", why: "needs the token of a link and its password" },
  "GET /api/shared/:token/charts/:chartId": { kind: "open", why: "needs the token of a link" },
  "GET /v0/boards": {
    kind: "own",
    async check(api, mine, other) {
      const ask = (query: string) => callV0(api, mine, "GET", `/v0/boards?project_id=${query}`);
      const foreign = await makeBoard(api, other);
      const own = await makeBoard(api, mine);
      assert.ok((await (await ask(own.project_id)).text()).includes(own.id));
      const [theirs, absent] = [await ask(foreign.project_id), await ask(newId("prj"))];
      assert.equal(theirs.status, 404);
      assert.equal(await theirs.text(), await absent.text());
    },
  },
  "POST /v0/boards": {
    kind: "foreign",
    async call(api, key, resource) {
      const project_id =
        resource === "absent" ? newId("prj") : await api.createProject((await api.createKey()).workspaceId, "Secret");
      return callV0(api, key, "POST", "/v0/boards", { project_id, title: "Mine" });
    },
  },
  "GET /v0/boards/templates": {
    kind: "own",
    async check(api, mine, other) {
      await makeBoard(api, other);
      const listed = await (await callV0(api, mine, "GET", "/v0/boards/templates")).text();
      assert.ok(listed.includes('"growth"') && !listed.includes("Secret"));
    },
  },
  "GET /v0/boards/:boardId": foreignBoard("GET"),
  "PATCH /v0/boards/:boardId": foreignBoard("PATCH", "", { title: "Taken" }),
  "DELETE /v0/boards/:boardId": foreignBoard("DELETE", "?with_charts=true"),
  "GET /v0/boards/:boardId/charts": foreignBoard("GET", "/charts?include=results"),
  "GET /v0/boards/:boardId/charts/meta": foreignBoard("GET", "/charts/meta"),
  "POST /v0/boards/:boardId/charts": foreignBoard("POST", "/charts", CHART),
  "POST /v0/boards/:boardId/charts/preview": foreignBoard("POST", "/charts/preview", CHART),
  "PUT /v0/boards/:boardId/charts/reorder": foreignBoard("PUT", "/charts/reorder", { chartIds: [newId("cht")] }),
  "GET /v0/boards/:boardId/charts/:chartId": foreignChart("GET", "?include=results"),
  "PUT /v0/boards/:boardId/charts/:chartId": foreignChart("PUT", "", CHART),
  "PATCH /v0/boards/:boardId/charts/:chartId": foreignChart("PATCH", "", { title: "Mine" }),
  "DELETE /v0/boards/:boardId/charts/:chartId": foreignChart("DELETE"),
  "GET /v0/boards/:boardId/charts/:chartId/query": foreignChart("GET", "/query?dateFrom=2026-01-01&dateTo=2026-01-02"),
  "POST /v0/boards/:boardId/charts/:chartId/duplicate": foreignChart("POST", "/duplicate"),
  // Of one's own chart to another's board.
  "PUT /v0/boards/:boardId/charts/:chartId/move": {
    kind: "foreign",
    async call(api, key, resource) {
      const mine = await makeBoard(api, key);
      const theirs = await makeBoard(api, await api.createKey());
      const away = await callV0(api, key, "PUT", `/v0/boards/${theirs.id}/charts/${theirs.chart}/move`, {
        targetBoardId: mine.id,
      });
      assert.equal(away.status, 404);
      const targetBoardId = resource === "foreign" ? theirs.id : newId("brd");
      return callV0(api, key, "PUT", `/v0/boards/${mine.id}/charts/${mine.chart}/move`, { targetBoardId });
    },
  },
  "GET /api/settings/members": ownAccount("GET", "/api/settings/members"),
  "PATCH /api/settings/members/:userId": foreignSetting(
    "PATCH",
    (id) => `/api/settings/members/${id}`,
    makeUser,
    () => newId("usr"),
    { role: "viewer" },
  ),
  "DELETE /api/settings/members/:userId": foreignSetting(
    "DELETE",
    (id) => `/api/settings/members/${id}`,
    makeUser,
    () => newId("usr"),
  ),
  "GET /api/settings/invites": ownAccount("GET", "/api/settings/invites"),
  "POST /api/settings/invites": ownAccount("POST", "/api/settings/invites", { role: "viewer" }),
  "DELETE /api/settings/invites/:inviteId": foreignSetting(
    "DELETE",
    (id) => `/api/settings/invites/${id}`,
    makeInvite,
    () => newId("lnk"),
  ),
  "GET /api/settings/projects": ownAccount("GET", "/api/settings/projects"),
  "POST /api/settings/projects": ownAccount("POST", "/api/settings/projects", { name: "Mine" }),
  "PATCH /api/settings/projects/:projectId": foreignSetting(
    "PATCH",
    (id) => `/api/settings/projects/${id}`,
    makeProject,
    () => newId("prj"),
    { name: "Taken over" },
  ),
  "DELETE /api/settings/projects/:projectId": foreignSetting(
    "DELETE",
    (id) => `/api/settings/projects/${id}`,
    makeProject,
    () => newId("prj"),
  ),
  "PATCH /api/settings/workspace": {
    kind: "own",
    async check(api, mine, other) {
      const owner = await addPerson(api, mine.workspaceId, "owner");
      const rename = (headers: Record<string, string>) =>
        owner.send("PATCH", "/api/settings/workspace", { name: "Renamed" }, headers);
      assert.equal((await rename({})).status, 200);
      const foreign = await rename({ "x-sextant-workspace": other.workspaceId });
      const absent = await rename({ "x-sextant-workspace": newId("wsp") });
      assert.equal(foreign.status, 403);
      assert.deepEqual(await foreign.bytes(), await absent.bytes());
    },
  },
  "GET /api/settings/keys": ownAccount("GET", "/api/settings/keys"),
  "POST /api/settings/keys": foreignSetting(
    "POST",
    () => "/api/settings/keys",
    makeProject,
    () => newId("prj"),
    (projectId) => ({ name: "Key", scopes: ["query:read"], projectId }),
  ),
  "DELETE /api/settings/keys/:keyId": foreignSetting(
    "DELETE",
    (id) => `/api/settings/keys/${id}`,
    makeKey,
    () => newId("key"),
  ),
  "GET /api/settings/unknown-write-keys": ownAccount("GET", "/api/settings/unknown-write-keys"),
  "GET /api/settings/write-keys": ownAccount("GET", "/api/settings/write-keys"),
  "POST /api/settings/write-keys": foreignSetting(
    "POST",
    () => "/api/settings/write-keys",
    makeProject,
    () => newId("prj"),
    (projectId) => ({ name: "Key", projectId }),
  ),
  "DELETE /api/settings/write-keys/:keyId": foreignSetting(
    "DELETE",
    (id) => `/api/settings/write-keys/${id}`,
    makeWriteKey,
    () => newId("wrk"),
  ),
  "GET /api/settings/bi-tokens": ownAccount("GET", "/api/settings/bi-tokens"),
  "POST /api/settings/bi-tokens": foreignSetting(
    "POST",
    () => "/api/settings/bi-tokens",
    makeProject,
    () => newId("prj"),
    (projectId) => ({ name: "Token", projectId }),
  ),
  "DELETE /api/settings/bi-tokens/:keyId": foreignSetting(
    "DELETE",
    (id) => `/api/settings/bi-tokens/${id}`,
    makeBiToken,
    () => newId("bit"),
  ),
  "GET /api/settings/audit-log": ownAccount("GET", "/api/settings/audit-log"),
  "GET /api/settings/system": ownAccount("GET", "/api/settings/system"),
  "POST /api/sign-in/passkey/begin": { kind: "open", why: "asks for a passkey" },
  "POST /api/sign-in/passkey/finish": { kind: "open", why: "needs a passkey" },
  "POST /api/sign-in/wallet/begin": { kind: "open", why: "asks for a signature" },
  "POST /api/sign-in/wallet/finish": { kind: "open", why: "needs a signature" },
  "GET /api/sign-in/oidc/start": { kind: "open", why: "leads to the provider" },
  "GET /api/sign-in/oidc/callback": { kind: "open", why: "needs the provider's confirmation" },
  "DELETE /api/account/oidc": ownAccount("DELETE", "/api/account/oidc"),
  "GET /api/account/passkeys": ownAccount("GET", "/api/account/passkeys"),
  "POST /api/account/passkeys/begin": ownAccount("POST", "/api/account/passkeys/begin", {}),
  "POST /api/account/passkeys/finish": strangersChallenge("/api/account/passkeys", { name: "Mine", response: {} }),
  "DELETE /api/account/passkeys/:passkeyId": foreignMethod("passkeys", "psk"),
  "GET /api/account/wallets": ownAccount("GET", "/api/account/wallets"),
  "POST /api/account/wallets/begin": ownAccount("POST", "/api/account/wallets/begin", WALLET),
  "POST /api/account/wallets/finish": strangersChallenge("/api/account/wallets", { signature: "0x00" }),
  "DELETE /api/account/wallets/:walletId": foreignMethod("wallets", "wlt"),
  "POST /api/links/read": { kind: "open", why: "needs the token of a link" },
  "POST /api/invites/accept": { kind: "open", why: "needs the token of a link" },
  "POST /api/reset": { kind: "open", why: "needs the token of a link" },
  ...REPORT_CASES,
  ...projectResource({
    path: "/v0/annotations",
    id: "annotationId",
    prefix: "ann",
    body: { date: "2026-03-31", note: "Secret launch" },
  }),
  ...projectResource({
    path: "/v0/saved_queries",
    id: "savedQueryId",
    prefix: "sqy",
    body: { name: "Secret query", query: "SELECT 1" },
    changes: { name: "Taken" },
  }),
  ...projectResource({ path: "/v0/alerts", id: "alertId", prefix: "alrt", body: ALERT, changes: { name: "Taken" } }),
  ...projectResource({
    path: "/v0/report_schedules",
    id: "scheduleId",
    prefix: "rsc",
    body: SCHEDULE,
    changes: { title: "Taken" },
  }),
  "GET /v0/report_schedules/:scheduleId": foreignSchedule("GET", ""),
  "GET /v0/report_schedules/:scheduleId/preview": foreignSchedule("GET", "/preview"),
  "POST /v0/report_schedules/:scheduleId/test": foreignSchedule("POST", "/test"),
  "GET /v0/report_schedules/:scheduleId/runs": foreignSchedule("GET", "/runs"),
  "POST /v0/report_schedules/:scheduleId/runs/:runId/resend": foreignSchedule("POST", "/runs/rrn_1/resend"),
  "GET /v0/mail_addresses": {
    kind: "own",
    async check(api, mine, other) {
      await askAddress(api, other, "secret@example.com");
      await askAddress(api, mine, "own@example.com");
      const listed = await (await callV0(api, mine, "GET", "/v0/mail_addresses")).text();
      assert.ok(listed.includes("own@example.com") && !listed.includes("secret@example.com"));
    },
  },
  "POST /v0/mail_addresses": {
    kind: "own",
    async check(api, mine, other) {
      // The owner has stopped the mail of one workspace: the other still has to ask.
      const theirs = await askAddress(api, other, "both@example.com");
      const own = await askAddress(api, mine, "both@example.com");
      assert.notEqual(theirs, own);
    },
  },
  "DELETE /v0/mail_addresses/:addressId": {
    kind: "foreign",
    async call(api, key, resource) {
      const id = await askAddress(api, await api.createKey(), "secret@example.com");
      return callV0(api, key, "DELETE", `/v0/mail_addresses/${resource === "absent" ? newId("mad") : id}`);
    },
  },
  "GET /m/:mailToken": { kind: "open", why: "needs the token of a mail" },
  "POST /m/:mailToken": { kind: "open", why: "needs the token of a mail" },
  "GET /v0/alerts/:alertId": foreignAlert("GET", ""),
  "PUT /v0/alerts/:alertId": foreignAlert("PUT", "", ALERT),
  "POST /v0/alerts/:alertId/test": foreignAlert("POST", "/test", {}),
  "POST /v0/alerts/preview": {
    kind: "foreign",
    async call(api, key, resource) {
      const other = await api.createKey();
      const project_id = resource === "absent" ? newId("prj") : await api.createProject(other.workspaceId, "Secret");
      return callV0(api, key, "POST", "/v0/alerts/preview", { project_id, trigger_type: "event", trigger_filters: [] });
    },
  },
  "GET /v0/alerts/:alertId/firings": foreignAlert("GET", "/firings"),
  "POST /v0/alerts/:alertId/firings/:firingId/resend": foreignAlert("POST", "/firings/frg_1/resend"),
  "GET /v0/segments": {
    kind: "own",
    async check(api, mine, other) {
      const ask = (query: string) => callV0(api, mine, "GET", `/v0/segments?${query}`);
      const [foreign, own] = [await saveSegment(api, other), await saveSegment(api, mine)];
      const listed = await (await ask("size=200")).text();
      assert.ok(listed.includes(own.id) && !listed.includes(foreign.id));
      const [theirs, absent] = [await ask(`project_id=${foreign.projectId}`), await ask(`project_id=${newId("prj")}`)];
      assert.equal(theirs.status, 404);
      assert.equal(await theirs.text(), await absent.text());
    },
  },
  "POST /v0/segments": {
    kind: "foreign",
    async call(api, key, resource) {
      const project_id =
        resource === "absent" ? newId("prj") : await api.createProject((await api.createKey()).workspaceId, "Secret");
      const filters = [{ field: "device", op: "eq", value: "desktop" }];
      return callV0(api, key, "POST", "/v0/segments", { project_id, title: "Mine", filters });
    },
  },
  "GET /v0/segments/:segmentId": foreignSegment("GET"),
  "PATCH /v0/segments/:segmentId": foreignSegment("PATCH", { title: "Taken" }),
  "DELETE /v0/segments/:segmentId": foreignSegment("DELETE"),
  "GET /v0/live": ownEvents("/v0/live", (answer) => (answer as { now: { events: number } }).now.events, "", {
    takesSegment: true,
  }),
  "GET /v0/ingest": ownEvents("/v0/ingest", (answer) => (answer as { stored: number }).stored),
  "GET /v0/parked": ownEvents("/v0/parked", (answer) => (answer as { data: unknown[] }).data.length),
  "GET /v0/live/stream": {
    kind: "own",
    async check(api, mine, other) {
      const own = await api.createProject(mine.workspaceId, "Own stream");
      const foreign = await api.createProject(other.workspaceId, "Secret stream");
      const stream = await expectStream(`${api.apiUrl}/v0/live/stream`, mine.text);
      try {
        await warehouse.store(foreign, 3);
        await warehouse.store(own, 2);
        await stream.find("event", ({ event }) => event === own);
        await stream.find("counts");
        assert.ok(!JSON.stringify(stream.messages).includes(foreign));
        assert.equal(stream.messages.filter(({ event }) => event === "event").length, 2);
      } finally {
        stream.close();
      }
      const ask = (project: string) =>
        fetch(`${api.apiUrl}/v0/live/stream?project_id=${project}`, {
          headers: { authorization: `Bearer ${mine.text}` },
        });
      const [theirs, absent] = [await ask(foreign), await ask(newId("prj"))];
      assert.equal(theirs.status, 404);
      assert.equal(await theirs.text(), await absent.text());
    },
  },
  "GET /v0/activity": ownEvents("/v0/activity", (answer) => (answer as { data: unknown[] }).data.length, "", {
    takesSegment: true,
  }),
  "GET /v0/activity/:eventId": {
    kind: "foreign",
    async call(api, key, resource) {
      const other = await api.createKey();
      const project = await api.createProject(other.workspaceId, "Secret");
      await warehouse.store(project, 1);
      const seen = await fetch(`${api.apiUrl}/v0/activity`, { headers: { authorization: `Bearer ${other.text}` } });
      const { data } = (await seen.json()) as { data: { id: string }[] };
      const id = resource === "foreign" ? data[0]?.id : "1772323200001-1";
      assert.ok(id);
      return fetch(`${api.apiUrl}/v0/activity/${id}`, { headers: { authorization: `Bearer ${key.text}` } });
    },
  },
  "GET /v0/distinct_values": ownEvents(
    "/v0/distinct_values",
    (answer) => (answer as { data: { count: number }[] }).data[0]?.count ?? 0,
    "field=event",
    { takesSegment: true },
  ),
  "GET /v0/event_properties": ownEvents(
    "/v0/event_properties",
    (answer) => (answer as { data: { count: number }[] }).data[0]?.count ?? 0,
  ),
  "GET /v0/first_days": {
    kind: "own",
    async check(api, mine, other) {
      const own = await api.createProject(mine.workspaceId, "Own days");
      const foreign = await api.createProject(other.workspaceId, "Secret days");
      await warehouse.store(own, 1);
      await warehouse.store(foreign, 1);
      const ask = (query: string) =>
        fetch(`${api.apiUrl}/v0/first_days${query}`, { headers: { authorization: `Bearer ${mine.text}` } });
      const { data } = (await (await ask(`?project_id=${own}`)).json()) as { data: { first_day: string | null }[] };
      assert.match(data[0]?.first_day ?? "", /^\d{4}-\d{2}-\d{2}$/);
      assert.ok(!(await (await ask("")).text()).includes(foreign));
      const [theirs, absent] = [await ask(`?project_id=${foreign}`), await ask(`?project_id=${newId("prj")}`)];
      assert.equal(theirs.status, 404);
      assert.equal(await theirs.text(), await absent.text());
    },
  },
  "POST /v0/events": ownLog("/v0/events"),
  "POST /v0/raw_events": ownLog("/v0/raw_events"),
  "POST /api/validate-api-key": {
    kind: "own",
    async check(api, mine, other) {
      await api.createProject(other.workspaceId, "Secret project");
      const answer = await fetch(`${api.apiUrl}/api/validate-api-key`, {
        method: "POST",
        headers: { "x-api-key": mine.text },
      });
      const text = await answer.text();
      assert.ok(text.includes(mine.workspaceId));
      assert.ok(!text.includes(other.workspaceId) && !text.includes("Secret project"));
    },
  },
  "GET /api/forms": {
    kind: "own",
    async check(api, mine, other) {
      await createForm(api, other);
      const own = await createForm(api, mine);
      const listed = await callApi(api, mine, "GET", "/api/forms");
      const { data } = (await listed.json()) as { data: { id: string }[] };
      assert.deepEqual(
        data.map((form) => form.id),
        [own],
      );
    },
  },
  "POST /api/forms": {
    kind: "own",
    async check(api, mine, other) {
      const made = await createForm(api, mine);
      assert.equal((await callApi(api, other, "GET", `/api/forms/${made}`)).status, 404);
    },
  },
  "GET /api/forms/:formId": foreignForm("GET", ""),
  "PUT /api/forms/:formId": foreignForm("PUT", "", FORM),
  "DELETE /api/forms/:formId": foreignForm("DELETE", ""),
  "GET /api/forms/:formId/submissions": foreignForm("GET", "/submissions"),
  "GET /api/forms/:formId/submissions/:submissionId": foreignSubmission("GET"),
  "GET /api/forms/:formId/submissions/:submissionId/deliveries": foreignSubmission("GET", "/deliveries"),
  "DELETE /api/forms/:formId/submissions/:submissionId": foreignSubmission("DELETE"),
  "GET /api/webhooks/:formId/poll": {
    kind: "foreign",
    call: async (api, key, resource) =>
      callApi(api, key, "GET", `/api/webhooks/${await formOfAnother(api, resource)}/poll`),
  },
  "GET /api/webhooks": {
    kind: "own",
    async check(api, mine, other) {
      await createWebhook(api, other);
      const own = await createWebhook(api, mine);
      const listed = await callApi(api, mine, "GET", "/api/webhooks");
      const { data } = (await listed.json()) as { data: { webhookId: string }[] };
      assert.deepEqual(
        data.map((webhook) => webhook.webhookId),
        [own],
      );
      const foreign = await callApi(api, mine, "GET", `/api/webhooks?formId=${await formOfAnother(api, "foreign")}`);
      const absent = await callApi(api, mine, "GET", `/api/webhooks?formId=${newId("frm")}`);
      assert.equal(foreign.status, 404);
      assert.deepEqual(await foreign.bytes(), await absent.bytes());
    },
  },
  "POST /api/webhooks": {
    kind: "foreign",
    call: async (api, key, resource) =>
      callApi(api, key, "POST", "/api/webhooks", {
        formId: await formOfAnother(api, resource),
        targetUrl: TARGET,
        eventTypes: ["FORM_SUBMISSION"],
      }),
  },
  "GET /api/webhooks/:webhookId": foreignWebhook("GET", ({ webhookId }) => `/${webhookId}`),
  "PATCH /api/webhooks/:webhookId": foreignWebhook("PATCH", ({ webhookId }) => `/${webhookId}`, { enabled: false }),
  "DELETE /api/webhooks/:webhookId": foreignWebhook("DELETE", ({ webhookId }) => `/${webhookId}`),
  "DELETE /api/webhooks": foreignWebhook("DELETE", ({ webhookId }) => `?webhookId=${webhookId}`),
  "POST /api/webhooks/:webhookId/rotate-secret": foreignWebhook(
    "POST",
    ({ webhookId }) => `/${webhookId}/rotate-secret`,
  ),
  "POST /api/webhooks/:webhookId/test": foreignWebhook("POST", ({ webhookId }) => `/${webhookId}/test`),
  "POST /api/webhooks/:webhookId/recover": foreignWebhook("POST", ({ webhookId }) => `/${webhookId}/recover`, {
    since: "2026-01-01T00:00:00Z",
  }),
  "GET /api/webhooks/:webhookId/deliveries": foreignWebhook("GET", ({ webhookId }) => `/${webhookId}/deliveries`),
  "GET /api/webhooks/:webhookId/deliveries/:deliveryId": foreignWebhook(
    "GET",
    ({ webhookId, deliveryId }) => `/${webhookId}/deliveries/${deliveryId}`,
  ),
  "POST /api/webhooks/:webhookId/deliveries/:deliveryId/redeliver": foreignWebhook(
    "POST",
    ({ webhookId, deliveryId }) => `/${webhookId}/deliveries/${deliveryId}/redeliver`,
  ),
  "POST /api/webhooks/deliveries/:deliveryId/redeliver": foreignWebhook(
    "POST",
    ({ deliveryId }) => `/deliveries/${deliveryId}/redeliver`,
  ),
  "POST /v0/query": OWN_SQL,
  "GET /v0/query/schema": SQL_SCHEMA,
  "GET /api/sign-in": { kind: "open", why: "says how people can sign in" },
  "POST /api/setup": { kind: "open", why: "needs the printed token" },
  "POST /api/sign-in/password": { kind: "open", why: "needs name and password" },
  "POST /api/sign-out": ownAccount("POST", "/api/sign-out", {}),
  "GET /api/demo": ownDemo("GET", 200),
  "POST /api/demo": ownDemo("POST", 201),
  "DELETE /api/demo": ownDemo("DELETE", 200),
  "GET /api/tasks": {
    kind: "own",
    async check(api) {
      const theirs = await addPerson(api, (await api.createKey()).workspaceId, "admin");
      await theirs.get("POST", "/api/demo", {});
      const me = await addPerson(api, (await api.createKey()).workspaceId, "viewer");
      assert.equal((await theirs.get<unknown[]>("GET", "/api/tasks")).length, 1);
      assert.deepEqual(await me.get("GET", "/api/tasks"), []);
    },
  },
  "POST /api/tasks/:taskId/cancel": {
    kind: "foreign",
    async call(api, key, resource) {
      const theirs = await addPerson(api, (await api.createKey()).workspaceId, "admin");
      await theirs.get("POST", "/api/demo", {});
      const [task] = await theirs.get<{ id: string }[]>("GET", "/api/tasks");
      const me = await addPerson(api, key.workspaceId, "admin");
      return me.send("POST", `/api/tasks/${resource === "foreign" ? task?.id : newId("tsk")}/cancel`, {});
    },
  },
  ...IMPORT_CASES,
  "GET /api/notifications": foreignNotifications("GET"),
  "POST /api/notifications/read": foreignNotifications("POST"),
  "POST /api/parked/replay": {
    kind: "foreign",
    async call(api, key, resource) {
      const me = await addPerson(api, key.workspaceId, "editor");
      const theirs = await api.createProject((await api.createKey()).workspaceId, "Secret");
      return me.send("POST", "/api/parked/replay", { projectId: resource === "foreign" ? theirs : newId("prj") });
    },
  },
  "GET /api/account": ownAccount("GET", "/api/account"),
  "POST /api/account/password": ownAccount("POST", "/api/account/password", { newPassword: "a new password" }),
  "GET /api/account/sessions": ownAccount("GET", "/api/account/sessions"),
  "DELETE /api/account/sessions": ownAccount("DELETE", "/api/account/sessions"),
  "DELETE /api/account/sessions/:sessionId": {
    kind: "foreign",
    async call(api, key, resource) {
      const [me, stranger] = await twoUsers(api, key, await api.createKey());
      return me.send("DELETE", `/api/account/sessions/${resource === "foreign" ? stranger.sessionId : newId("ses")}`);
    },
  },
  "GET /f/:formId": { kind: "open", why: "a form's page is for everybody who has its address" },
  "POST /f/:formId": { kind: "open", why: "people fill it in without a credential" },
  "POST /f/:formId/wallet": { kind: "open", why: "the same people sign without a credential" },
  "GET /docs": { kind: "open", why: "documentation" },
  "GET /docs/errors": { kind: "open", why: "documentation" },
  "GET /docs/guides": { kind: "open", why: "documentation" },
  "GET /docs/guides/:guideId": { kind: "open", why: "documentation" },
  "GET /openapi.json": { kind: "open", why: "documentation" },
  "GET /healthz": { kind: "open", why: "operations port, holds no tenant's data" },
  "GET /readyz": { kind: "open", why: "operations port, holds no tenant's data" },
  "GET /metrics": { kind: "open", why: "operations port, holds no tenant's data" },
};

const routes = Object.values(defaultServers()).flatMap((server) =>
  server.routes.map((route) => ({ ...route, server: server.name })),
);

/** A real engine for routes that read events. The name of an event is that of its project. As many are parked. */
let warehouse: {
  store(projectId: string, events: number): Promise<void>;
  runLookup: RunLookup;
  live: LiveHub;
  stop(): Promise<void>;
};

async function openWarehouse(): Promise<typeof warehouse> {
  const { engine, stop } = await startLocalEngine();
  const write = await createTestWriter(engine);
  const slots = createQuerySlots({ running: 4, waiting: 10, waitMs: 5_000 });
  const runLookup = createRunLookup({ engine, clock: systemClock, slots });
  return {
    async store(projectId, events) {
      const named = Array.from({ length: events }, () =>
        sampleEvent(newId("req"), { event: projectId, properties: JSON.stringify({ [projectId]: 1 }) }),
      );
      const invalid = named.map(() => ({ type: 1 }));
      await write(projectId, [...named, ...invalid], Date.now());
    },
    runLookup,
    live: createLiveHub({ runLookup, clock: systemClock, log: quietLog, pace: { pollMs: 50, countsMs: 100 } }),
    stop,
  };
}

describe("tenant isolation", () => {
  let api: TestApi;
  let mine: TestKey;
  let other: TestKey;
  before(async () => {
    warehouse = await openWarehouse();
    api = await startApi("sqlite", {}, [], { runLookup: warehouse.runLookup, live: warehouse.live });
    mine = await api.createKey();
    other = await api.createKey();
  });
  after(async () => {
    await api.stop();
    await warehouse.stop();
  });

  test("every route has a case, and every case has a route", () => {
    const names = routes.map((route) => `${route.method} ${route.path}`);
    assert.deepEqual(names.sort(), Object.keys(CASES).sort());
  });

  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    const one = CASES[name];
    test(`${name}: ${one?.kind === "open" ? `open (${one.why})` : "another workspace learns nothing"}`, async () => {
      assert.ok(one);
      assert.equal(one.kind === "open", route.access === "open" || route.access === "visitor");
      if (route.path.includes(":") && one.kind !== "open")
        assert.equal(one.kind, "foreign", "a route that names a resource is tried with a foreign one");
      if (one.kind === "own") await one.check(api, mine, other);
      if (one.kind === "foreign") {
        const [foreign, absent] = [await one.call(api, mine, "foreign"), await one.call(api, mine, "absent")];
        assert.equal(foreign.status, 404);
        assert.equal(absent.status, 404);
        assert.deepEqual(await foreign.bytes(), await absent.bytes());
      }
    });
  }
});
