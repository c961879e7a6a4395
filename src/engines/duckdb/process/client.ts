/** The engine port, implemented by calls of the engine's process. The service and CLI commands use it. */

import type { StoredBatch } from "../../batch.ts";
import { isFailure } from "../../failures.ts";
import {
  type AnalyticsEngine,
  type BatchStore,
  type BatchStoreOptions,
  METHODS,
  type MethodGroup,
  type Methods,
} from "../../port.ts";
import { retry } from "../../retry.ts";
import type { Selected, SelectOptions } from "../../select.ts";
import { NEWEST_SCHEMA } from "../newest-schema.ts";
import { createRelations } from "../relations.ts";
import { type Caller, createCaller } from "./caller.ts";
import { type ClientOptions, encodeBatch } from "./protocol.ts";

export function connectDuckdb(options: ClientOptions): AnalyticsEngine {
  const caller = createCaller(options);

  const openBatchStore = async ({ nodeId, onRetry }: BatchStoreOptions): Promise<BatchStore> => ({
    ...callMethods(caller, "batches", nodeId),
    form: "columns",
    async store(batch, { from, to }, signal) {
      const body = encodeBatch(batch, { nodeId, from, to });
      // The writer handles a moved cursor itself.
      const isFinal = (cause: unknown) => !isFailure(cause);
      const stored = await retry({ signal, onRetry, isFinal }, () => caller.send("store", { body, signal }));
      return stored as StoredBatch;
    },
    close: async () => undefined,
  });

  const select = async <T>(sql: string, { signal, ...rest }: SelectOptions = {}) => {
    const selected = await caller.again(() => caller.select([sql, rest, signal]), signal);
    return selected as Selected<T>;
  };

  return {
    ...callMethods(caller, "engine"),
    select,
    runUserQuery: (query, signal) => caller.again(() => caller.stream("query", [query, signal]), signal),
    relations: createRelations({ select }),
    openBatchStore,
    schema: { ...callMethods(caller, "schema"), newest: NEWEST_SCHEMA },
    maintenance: callMethods(caller, "maintenance"),
    ping: () => caller.ping(),
    close: () => caller.close(),
  };
}

/** Each method of a group calls its namesake in the engine's process. */
function callMethods<Group extends MethodGroup>({ call }: Caller, group: Group, nodeId?: string): Methods<Group> {
  const methods = Object.keys(METHODS[group]).map((name) => {
    const method = (...args: readonly unknown[]) => call(`${group}/${name}`, args, nodeId);
    return [name, method] as const;
  });
  return Object.fromEntries(methods) as Methods<Group>;
}
