/**
 * The API server and the delivery worker over one store, as the service runs them, without the analytics engine that makes a
 * start slow: for killing it many times. Arguments: backend and where its store is.
 */
import { Registry } from "prom-client";
import { startTestDelivery } from "./delivery.ts";
import { openStoreOfArguments, serveApi } from "./serve-api.ts";

const store = await openStoreOfArguments();
const registry = new Registry();
const delivery = await startTestDelivery(store, registry);
await serveApi(store, { registry, wakeDelivery: delivery.wake });
