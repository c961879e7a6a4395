/**
 * The API server and the delivery worker over one store, as the service runs them, to be killed many times. It has no
 * analytics engine, which makes a start slow. Arguments: backend and location of its store.
 */
import { Registry } from "prom-client";
import { startTestDelivery } from "./delivery.ts";
import { openStoreOfArguments, serveApi } from "./serve-api.ts";

const store = await openStoreOfArguments();
const registry = new Registry();
const delivery = await startTestDelivery(store, registry);
await serveApi(store, { registry, wakeDelivery: delivery.wake });
