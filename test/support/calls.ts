import assert from "node:assert/strict";
import type { TestApi, TestKey } from "./api.ts";

export interface Calls {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The JSON of an answer with this status. */
  get<T>(method: string, path: string, body?: unknown, status?: number): Promise<T>;
}

/** Requests with an API key. `as` is read for each: both are made before the first test. */
export function createCalls(as: () => { api: TestApi; key: TestKey }): Calls {
  const call: Calls["call"] = (method, path, body, headers = {}) => {
    const { api, key } = as();
    return fetch(`${api.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key.text}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
  return {
    call,
    async get<T>(method: string, path: string, body?: unknown, status = 200) {
      const answer = await call(method, path, body);
      const text = await answer.text();
      assert.equal(answer.status, status, text);
      return (text === "" ? undefined : JSON.parse(text)) as T;
    },
  };
}
