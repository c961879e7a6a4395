/**
 * The three parts of undici that we use. Its index loads 110 modules (fetch, WebSocket, caches, mocks) in 146 ms, these
 * 29 in 50 ms. Node's own undici is not reachable.
 */
import { createRequire } from "node:module";
import type * as undici from "undici";

const load = createRequire(import.meta.url);
// As its index does: `request` and its like are methods of every dispatcher.
const { prototype } = load("undici/lib/dispatcher/dispatcher.js") as { prototype: object };
Object.assign(prototype, load("undici/lib/api"));

export const Pool = load("undici/lib/dispatcher/pool.js") as typeof undici.Pool;
export type Pool = undici.Pool;
export const Client = load("undici/lib/dispatcher/client.js") as typeof undici.Client;
export const buildConnector = load("undici/lib/core/connect.js") as typeof undici.buildConnector;
export type Connector = undici.buildConnector.connector;
export type ResponseHeaders = undici.Dispatcher.ResponseData["headers"];
