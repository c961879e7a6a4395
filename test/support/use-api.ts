import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { BackendName } from "../../src/engines/control.ts";
import { startApi, type TestApi, type TestKey } from "./api.ts";

/**
 * An API without test routes and one of its keys, for the tests of a suite: started before the first, stopped after the
 * last.
 */
export function useApi(backend: BackendName): { readonly api: TestApi; readonly key: TestKey } {
  let started: { api: TestApi; key: TestKey } | undefined;
  const get = () => started ?? assert.fail("the API is there in hooks and tests only");
  before(async () => {
    const api = await startApi(backend, {}, []);
    started = { api, key: await api.createKey() };
  });
  after(() => started?.api.stop());
  return {
    get api() {
      return get().api;
    },
    get key() {
      return get().key;
    },
  };
}
