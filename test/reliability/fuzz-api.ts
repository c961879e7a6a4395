/**
 * Sends generated requests to every operation of openapi.json of a real service, and holds each answer against the
 * document.
 * Used by the suite with few requests and by `npm run fuzz:api` with many.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import fc from "fast-check";
import { Pool } from "undici";
import { addMember } from "../../src/accounts/members.ts";
import { createLink } from "../../src/accounts/one-time-links.ts";
import { createPasskey } from "../../src/accounts/passkeys.ts";
import { createSession } from "../../src/accounts/sessions.ts";
import { createUser } from "../../src/accounts/users.ts";
import { createWallet } from "../../src/accounts/wallets.ts";
import { getAlert } from "../../src/alerts/alerts-table.ts";
import { firingId, messageId } from "../../src/alerts/firing-id.ts";
import { recordFiring } from "../../src/alerts/record-firing.ts";
import { createAlert } from "../../src/alerts/write-alert.ts";
import { importBoard } from "../../src/boards/board-file.ts";
import { getBoard } from "../../src/boards/boards.ts";
import { listCharts } from "../../src/boards/charts.ts";
import { createLinkKeys } from "../../src/boards/link-keys.ts";
import { createLink as createBoardLink, getLink, PLAIN_LINK } from "../../src/boards/links.ts";
import type { MemberRole } from "../../src/contract/member-roles.ts";
import { createKeyText } from "../../src/control/key-text.ts";
import { createApiKey } from "../../src/control/keys.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import { createSecretBox } from "../../src/control/secret-box.ts";
import { createSegment } from "../../src/control/segments.ts";
import type { Tx } from "../../src/control/store.ts";
import { createProject } from "../../src/control/tenants.ts";
import { openSqlite } from "../../src/engines/control-sqlite.ts";
import { createUpload, listUploads } from "../../src/imports/uploads.ts";
import { dataPaths, readOrCreateSecret } from "../../src/installation/data-dir.ts";
import { newId } from "../../src/lib/ids.ts";
import { confirmAddress } from "../../src/mail/addresses.ts";
import { askAddress } from "../../src/mail/ask.ts";
import { createMailLinks } from "../../src/mail/links.ts";
import { createSchedule } from "../../src/schedules/write-schedule.ts";
import { call } from "../support/installation.ts";
import { type Credentials, makeDataDir, readCredentials, startService } from "../support/service.ts";
import { startTarget } from "../support/targets.ts";
import { waitFor } from "../support/wait.ts";
import { ADDRESS, anyRequest, type GeneratedRequest, knownRequest } from "./generate-request.ts";
import { findContradiction, type GivenAnswer, isDocumentedBody, OPERATIONS, type Operation } from "./openapi.ts";

export interface FuzzResult {
  sent: number;
  /** How often an operation answered with each kind of status. */
  statuses: Record<string, Record<string, number>>;
}

type Fixture = Record<string, string>;

/** Succeed only with what one request before them gave, or once. */
const NEEDS_MORE = new Set([
  "setUp",
  "acceptInvite",
  "revokeWriteKey",
  "revokeBiToken",
  "deleteAnnotation",
  "changeSavedQuery",
  "deleteSavedQuery",
  "cancelTask",
  // The file of the others is not complete.
  "previewImport",
  "startImport",
  "cancelImport",
  "getRefusedRows",
  "sendImportPart",
  // The link of the others has no password.
  "openSharedBoard",
  "beginWalletProof",
  "finishPasskeySignIn",
  "finishWalletSignIn",
  "addPasskey",
  "addWallet",
  "startOidc",
  "finishOidc",
  // The wallet has no events.
  "getProfile",
  "eraseProfile",
]);
const ENDS_SESSION = new Set(["signOut", "changePassword", "resetPassword", "createProject", "acceptInvite"]);

const UNLIMITED = {
  SEXTANT_API_RATE_PER_SECOND: "100000",
  SEXTANT_API_RATE_BURST: "1000000",
  SEXTANT_EVENTS_RATE_PER_SECOND: "100000",
  SEXTANT_EVENTS_RATE_BURST: "1000000",
  SEXTANT_FAILED_AUTH_PER_MINUTE: "1000000",
  SEXTANT_SIGN_IN_ADDRESS_PER_MINUTE: "1000000",
  SEXTANT_FORM_ADDRESS_PER_MINUTE: "1000000",
  SEXTANT_FORM_PER_MINUTE: "1000000",
  SEXTANT_LOG_LEVEL: "error",
};

export async function fuzzApi(options: {
  requests: number;
  seed: number;
  say: (line: string) => void;
}): Promise<FuzzResult> {
  const data = makeDataDir();
  const target = await startTarget((response) => response.end());
  const service = await startService(data.dir, UNLIMITED);
  const pools = {
    api: new Pool(service.apiUrl, { connections: 4 }),
    events: new Pool(service.eventsUrl, { connections: 4 }),
    ops: new Pool(service.opsUrl, { connections: 4 }),
  };
  const keys = readCredentials(data.dir);
  const place = { ...keys, apiUrl: service.apiUrl, eventsUrl: service.eventsUrl };
  const people = await openPeople(data.dir, keys);
  const result: FuzzResult = { sent: 0, statuses: {} };
  const eventId = await storeEvent(place);
  let fixture: Fixture | undefined;

  async function send(operation: Operation, request: GeneratedRequest): Promise<GivenAnswer> {
    fixture ??= {
      eventId,
      address: ADDRESS,
      ...(await makeFixture(place, `${target.url}/hook`)),
      ...(await people.make()),
    };
    const filled = fill(request, fixture);
    const secrets = { ...keys, cookie: fixture.cookie ?? "" };
    const ask = () => exchange(pools[operation.server], operation, filled, secrets);
    let answer = await ask();
    // On a starved machine the engine may take longer than the 2 s that readiness gives it. What a request causes comes
    // again.
    for (let tries = 1; answer.status === 503 && tries < 4; tries += 1) {
      await waitFor("readiness", async () => (await fetch(`${service.opsUrl}/readyz`)).status === 200, 60_000);
      answer = await ask();
    }
    // What it named may be gone.
    if (operation.method === "DELETE" || ENDS_SESSION.has(operation.id)) fixture = undefined;
    result.sent += 1;
    const counts = result.statuses[operation.id] ?? {};
    result.statuses[operation.id] = { ...counts, [answer.status]: (counts[answer.status] ?? 0) + 1 };
    return answer;
  }

  try {
    const each = Math.max(1, Math.ceil(options.requests / OPERATIONS.length));
    for (const [index, operation] of OPERATIONS.entries()) {
      const known = knownRequest(operation);
      fixture = undefined;
      const answer = await send(operation, known);
      assert.ok(
        answer.status < 400 || NEEDS_MORE.has(operation.id),
        `${describe(operation, known)}: ${answer.status} ${answer.text}`,
      );
      assert.equal(findContradiction(operation, answer), undefined, describe(operation, known));
      await fc.assert(
        fc.asyncProperty(anyRequest(operation), async (request) => {
          const problem = findProblem(operation, request, await send(operation, request));
          if (problem !== undefined) throw new Error(`${problem}\n${describe(operation, request)}`);
        }),
        { seed: options.seed + index, numRuns: each },
      );
      options.say(`${operation.id}: ${JSON.stringify(result.statuses[operation.id])}`);
    }
    assert.equal(service.child.exitCode, null, "the service still runs");
    return result;
  } finally {
    for (const pool of Object.values(pools)) await pool.destroy();
    await people.close();
    await service.kill("SIGTERM");
    await target.close();
    data.remove();
  }
}

function findProblem(operation: Operation, request: GeneratedRequest, answer: GivenAnswer): string | undefined {
  // A file that is announced may be larger than what is free on this machine.
  const isTooLargeForDisk =
    operation.id === "createImport" && answer.status === 503 && answer.text.includes("no room for the file");
  if (answer.status >= 500 && !isTooLargeForDisk) return `answered ${answer.status}: ${answer.text}`;
  const contradiction = findContradiction(operation, answer);
  if (contradiction !== undefined) return `${contradiction}: ${answer.text.slice(0, 500)}`;
  if (answer.status < 300 && !isAsDocumented(operation, request)) return `took a wrong request with ${answer.status}`;
  return undefined;
}

/** Of JSON to the API: the events server parks what is wrong in a batch, and a form's answers have no schema here. */
function isAsDocumented(operation: Operation, { body, credential }: GeneratedRequest): boolean {
  const needsCredential = !operation.isOpen && operation.id !== "validateApiKey";
  if (credential !== "good" && operation.path.startsWith("/api/") && needsCredential) return false;
  if (operation.body === undefined || operation.server !== "api") return true;
  if (body.kind === "none") return !operation.body.required;
  return body.kind === "text" || isDocumentedBody(operation, JSON.parse(JSON.stringify(body.value)));
}

/** An event that is stored, and its id. */
async function storeEvent(
  place: Parameters<typeof call>[0] & { writeKey: string; eventsUrl: string },
): Promise<string> {
  const sent = await fetch(`${place.eventsUrl}/v0/raw_events`, {
    method: "POST",
    headers: { authorization: `Bearer ${place.writeKey}`, "content-type": "application/json" },
    body: JSON.stringify({ type: "page", channel: "web", version: "0", anonymous_id: "somebody" }),
  });
  assert.equal(sent.status, 200, await sent.text());
  return waitFor(
    "the event",
    async () => (await call<{ data: { id: string }[] }>(place, "GET", "/v0/activity")).data[0]?.id,
    60_000,
  );
}

const CHART = { chart_type: "table", title: "Chains", report: "top_chains" };
const PASSKEY = { publicKey: new Uint8Array(), counter: 0, transports: [], name: "Passkey" };

/** Signs people in beside the service: it limits how often one may try. */
async function openPeople(dir: string, { workspaceId, projectId, setupUrl }: Credentials) {
  const [apiUrl = "", token = ""] = setupUrl.split("/setup#token=");
  const first = { token, name: "Ada", password: "correct horse battery" };
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${apiUrl}/api/setup`, { method: "POST", headers, body: JSON.stringify(first) });
  assert.equal(answer.status, 201, await answer.text());
  const store = openSqlite<ControlSchema>(join(dir, "control.sqlite"));
  const secret = readOrCreateSecret(dataPaths(dir));
  return {
    make: (): Promise<Fixture> =>
      store.write(async (tx) => {
        const nowMs = Date.now();
        const [me, other] = [await addUser(tx, workspaceId, "owner"), await addUser(tx, workspaceId, "viewer")];
        const start = () => createSession(tx, secret, { userId: me, method: "password", userAgent: "" }, nowMs);
        const [session, second] = [await start(), await start()];
        // A workspace has at most 100.
        await tx.deleteFrom("one_time_links").where("kind", "=", "invite").execute();
        const link = { note: "", createdBy: me, expiresAtMs: nowMs + 3_600_000 };
        const invite = await createLink(tx, secret, { ...link, kind: "invite", workspaceId, role: "viewer" }, nowMs);
        const reset = await createLink(tx, secret, { ...link, kind: "reset", userId: other }, nowMs);
        const named = { name: randomUUID(), expiresAtMs: null, projectId };
        const apiKey = { ...named, text: createKeyText("api"), scopes: ["query:read"] as const };
        // One that a request may delete.
        const project = await createProject(tx, workspaceId, randomUUID(), nowMs);
        return {
          ...(await makeBoards(tx, workspaceId, project.id, secret)),
          cookie: `sextant=${session.text}`,
          sessionId: second.id,
          userId: other,
          inviteId: invite.id,
          inviteToken: invite.token,
          resetToken: reset.token,
          projectId: project.id,
          keyId: (await createApiKey(tx, workspaceId, secret, apiKey, nowMs)).id,
          importId: await findOrMakeUpload(tx, workspaceId, project.id),
          newName: randomUUID(),
          passkeyId: (await createPasskey(tx, { ...PASSKEY, credentialId: randomUUID(), userId: me }, nowMs))?.id ?? "",
          walletId: (await createWallet(tx, { userId: me, address: randomUUID(), chainId: null }, nowMs))?.id ?? "",
        };
      }),
    close: () => store.close(),
  };
}

/** A workspace has few files at a time. */
async function findOrMakeUpload(tx: Tx, workspaceId: string, projectId: string): Promise<string> {
  const [known] = await listUploads(tx, workspaceId, { projectId: undefined, limit: 1 });
  const made = { projectId, fileName: "events.csv", fileBytes: 10 };
  return (known ?? (await createUpload(tx, workspaceId, made, Date.now()))).id;
}

async function addUser(tx: Tx, workspaceId: string, role: MemberRole): Promise<string> {
  const user = await createUser(tx, { name: randomUUID(), passwordHash: null }, Date.now());
  if (user === undefined) throw new Error("the name is taken");
  await addMember(tx, workspaceId, { userId: user.id, role }, Date.now());
  return user.id;
}

async function makeBoards(tx: Tx, workspaceId: string, projectId: string, secret: Buffer): Promise<Fixture> {
  const file = { sextant_board: 1 as const, title: "Board", charts: [CHART] };
  const make = () => importBoard(tx, workspaceId, { file, projectId, userId: null }, Date.now());
  const [boardId, otherBoardId] = [await make(), await make()];
  const board = await getBoard(tx, { workspaceId, projectId }, boardId);
  const { data } = await listCharts(tx, workspaceId, board);
  const keys = createLinkKeys(secret);
  const linkId = await createBoardLink(tx, workspaceId, board, { keys, fields: PLAIN_LINK, userId: null }, Date.now());
  const { sealed } = await getLink(tx, workspaceId, boardId, linkId);
  const filters = [{ field: "device", op: "eq", value: "mobile" }];
  const segmentId = await createSegment(tx, workspaceId, { projectId, title: "S", filters, userId: null }, Date.now());
  const box = createSecretBox(secret, "webhook secrets");
  const alert = { name: "A", trigger_type: "event", trigger_filters: [] };
  const wanted = { projectId, userId: null, body: alert };
  const alertId = await createAlert(tx, workspaceId, wanted, { box, nowMs: Date.now() });
  return {
    boardId,
    otherBoardId,
    chartId: data[0]?.id ?? "",
    linkId,
    token: keys.find(linkId, sealed) ?? "",
    segmentId,
    alertId,
    firingId: await fireOnce(tx, { workspaceId, projectId }, alertId),
    ...(await makeSchedule(tx, workspaceId, projectId, secret)),
  };
}

async function makeSchedule(tx: Tx, workspaceId: string, projectId: string, secret: Buffer): Promise<Fixture> {
  const box = createSecretBox(secret, "webhook secrets");
  const context = { box, isConfigured: false, userId: null, nowMs: Date.now() };
  const body = { title: "Weekly", every: "week", recipients: [] };
  const scheduleId = await createSchedule(tx, workspaceId, projectId, body, context);
  const runId = newId("rrn");
  const days = { date_from: "2026-03-02", date_to: "2026-03-08" };
  const ids = { id: runId, workspace_id: workspaceId, project_id: projectId, schedule_id: scheduleId };
  await tx
    .insertInto("report_runs")
    .values({ ...ids, ...days, due_at: 0, created_at: 0, deliveries: 0 })
    .execute();
  // A workspace asks few new addresses a day.
  const known = tx.selectFrom("mail_addresses").select("id").where("workspace_id", "=", workspaceId);
  const address = (await known.executeTakeFirst()) ?? (await makeConfirmed());
  const mailToken = createMailLinks(secret).make("unsubscribe", newId("whk"));
  return { scheduleId, runId, addressId: address.id, mailToken };

  /** One whose owner has not answered cannot be deleted. */
  async function makeConfirmed() {
    const asked = await askAddress(tx, workspaceId, { address: `${newId("a")}@example.com`, userId: null }, context);
    await confirmAddress(tx, asked, context.nowMs);
    return asked;
  }
}

async function fireOnce(tx: Tx, owner: { workspaceId: string; projectId: string }, alertId: string): Promise<string> {
  const alert = await getAlert(tx, owner, alertId);
  const id = firingId(alertId, "event", "1");
  const message = { id: messageId(id), type: "alert.event.triggered", body: {}, thinBody: {}, title: "A", lines: [] };
  await recordFiring(tx, alert, { id, kind: "event", count: 1, details: {}, message }, Date.now());
  return id;
}

async function makeFixture(
  place: Parameters<typeof call>[0] & { projectId: string },
  targetUrl: string,
): Promise<Fixture> {
  const form = {
    title: "Contact",
    fields: [
      { label: "Name", type: "short_text", required: true },
      { label: "Size", type: "select", options: [{ label: "Small", value: "s" }] },
    ],
  };
  const { data } = await call<{ data: { id: string } }>(place, "POST", "/api/forms", form);
  const formId = data.id;
  const wanted = { formId, targetUrl, eventTypes: ["FORM_SUBMISSION"] };
  const hook = await call<{ data: { webhookId: string } }>(place, "POST", "/api/webhooks", wanted);
  const { webhookId } = hook.data;
  const made = await call<{ data: { submissionId: string } }>(place, "POST", `/f/${formId}`, { name: "Ada" });
  const deliveryId = await waitFor(
    "the first delivery to be settled",
    async () => {
      const path = `/api/webhooks/${webhookId}/deliveries`;
      const found = await call<{ data: { deliveryId: string; state: string }[] }>(place, "GET", path);
      return found.data.find(({ state }) => state === "delivered")?.deliveryId;
    },
    60_000,
  );
  const { submissionId } = made.data;
  return { formId, webhookId, submissionId, deliveryId, targetUrl, projectId: place.projectId, guideId: "sql" };
}

function fill(request: GeneratedRequest, fixture: Fixture): GeneratedRequest {
  const put = (text: string) => text.replace(/^\$(\w+)$/, (whole, name: string) => fixture[name] ?? whole);
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return put(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  const { segments, query, body } = request;
  return {
    ...request,
    segments: Object.fromEntries(Object.entries(segments).map(([name, text]) => [name, put(text)])),
    query: query.map((part) =>
      part.replace(/=\$(\w+)$/, (_, name: string) => `=${encodeURIComponent(fixture[name] ?? "")}`),
    ),
    body: body.kind === "json" ? { kind: "json", value: walk(body.value) } : body,
  };
}

async function exchange(
  pool: Pool,
  operation: Operation,
  request: GeneratedRequest,
  keys: Secrets,
): Promise<GivenAnswer> {
  const { body } = request;
  const bytes = body.kind === "none" ? undefined : body.kind === "json" ? JSON.stringify(body.value) : body.text;
  const {
    statusCode,
    headers,
    body: said,
  } = await pool.request({
    method: operation.method as "GET",
    path: pathOf(operation, request),
    headers: {
      ...(bytes === undefined ? {} : { "content-type": "application/json" }),
      ...credentialOf(operation, request, keys),
      ...request.headers,
    },
    ...(bytes === undefined ? {} : { body: bytes }),
  });
  const contentType = String(headers["content-type"] ?? "");
  return { status: statusCode, contentType, text: contentType === STREAM ? await readSome(said) : await said.text() };
}

/** A stream ends only with its client: the beginning of it is read. */
const STREAM = "text/event-stream";

async function readSome(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  try {
    for await (const chunk of body) return chunk.toString();
    return "";
  } finally {
    body.destroy();
  }
}

interface Secrets {
  apiKey: string;
  writeKey: string;
  cookie: string;
}

function credentialOf(
  { server, path, security }: Operation,
  { credential }: GeneratedRequest,
  { apiKey, writeKey, cookie }: Secrets,
): Record<string, string> {
  if (credential === "none") return {};
  if (security[0] === "session" && credential !== "of the other server")
    return { cookie: credential === "good" ? cookie : `sextant=${"A".repeat(43)}` };
  const [own, others] = server === "events" ? [writeKey, apiKey] : [apiKey, writeKey];
  const text = { good: own, wrong: "sxt_wrong", "of the other server": others }[credential];
  return path.startsWith("/api/") ? { "x-api-key": text } : { authorization: `Bearer ${text}` };
}

function pathOf({ path }: Operation, { segments, query }: GeneratedRequest): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segments[name] ?? "");
  return query.length === 0 ? filled : `${filled}?${query.join("&")}`;
}

function describe(operation: Operation, request: GeneratedRequest): string {
  const { credential, headers, body } = request;
  const sent = JSON.stringify({ credential, headers, body });
  return `${operation.method} ${pathOf(operation, request)} ${sent.length > 2_000 ? `${sent.slice(0, 2_000)}...` : sent}`;
}
