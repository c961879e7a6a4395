import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { addMember } from "../../src/accounts/members.ts";
import { createSession } from "../../src/accounts/sessions.ts";
import { setupToken } from "../../src/accounts/setup.ts";
import { createUser } from "../../src/accounts/users.ts";
import type { MemberRole } from "../../src/contract/member-roles.ts";
import { createWorkspace } from "../../src/control/tenants.ts";
import { TEST_SECRET, type TestApi } from "./api.ts";

export const PASSWORD = "correct horse battery";

/** A browser that keeps its cookie. */
export interface TestPerson {
  cookie: string;
  /** Sends JSON with the cookie; a new cookie replaces it. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The same, for a success: the `data` of its body. */
  get<T = Record<string, never>>(method: string, path: string, body?: unknown): Promise<T>;
}

export function newPerson(apiUrl: string, cookie = ""): TestPerson {
  const person: TestPerson = {
    cookie,
    async send(method, path, body, headers = {}) {
      const answer = await fetch(`${apiUrl}${path}`, {
        method,
        redirect: "manual",
        headers: {
          ...(person.cookie === "" ? {} : { cookie: person.cookie }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      // Not the cookie that only says that somebody signed in here before.
      const set = answer.headers.getSetCookie().filter((one) => !/^\S*sextant-known=/.test(one));
      person.cookie = set.at(-1)?.split(";", 1)[0] ?? person.cookie;
      return answer;
    },
    async get<T>(method: string, path: string, body?: unknown) {
      const answer = await person.send(method, path, body);
      const text = await answer.text();
      assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
      return (JSON.parse(text) as { data: T }).data;
    },
  };
  return person;
}

/** Creates the first account of an API without accounts, with a workspace that it owns. */
export async function setUp(api: TestApi, name = "Ada"): Promise<TestPerson & { workspaceId: string }> {
  const workspaceId = await api.store.write(async (tx) => (await createWorkspace(tx, "First", Date.now())).id);
  const person = newPerson(api.apiUrl);
  const token = setupToken(TEST_SECRET);
  const answer = await person.send("POST", "/api/setup", { token, name, password: PASSWORD });
  assert.equal(answer.status, 201, await answer.clone().text());
  return Object.assign(person, { workspaceId });
}

/** A signed-in member of a workspace, made without a request. */
export async function addPerson(
  api: TestApi,
  workspaceId: string,
  role: MemberRole,
  name = `${role} ${randomUUID()}`,
): Promise<TestPerson & { userId: string; sessionId: string }> {
  const nowMs = Date.now();
  const { userId, session } = await api.store.write(async (tx) => {
    const user = await createUser(tx, { name, passwordHash: null }, nowMs);
    assert.ok(user, `${name} is taken`);
    await addMember(tx, workspaceId, { userId: user.id, role }, nowMs);
    const made = await createSession(
      tx,
      TEST_SECRET,
      { userId: user.id, method: "password", userAgent: "test" },
      nowMs,
    );
    return { userId: user.id, session: made };
  });
  return Object.assign(newPerson(api.apiUrl, `sextant=${session.text}`), { userId, sessionId: session.id });
}
