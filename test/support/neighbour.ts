/** What another workspace feels: a client on its own thread that sends at its pace, answered or not. */
import { Worker } from "node:worker_threads";
import { waitFor } from "./wait.ts";

export interface NeighbourRequest {
  readonly url: string;
  readonly key: string;
  readonly method: "GET" | "POST";
  readonly body: string;
  readonly everyMs: number;
}

export interface Neighbour {
  /** Of the requests sent while the work runs, in milliseconds; waits for all their answers, which must be a 200. */
  p99During(work: () => Promise<unknown>): Promise<number>;
  /** Waits until so many requests have been answered. */
  warmUp(requests: number): Promise<void>;
  stop(): Promise<void>;
}

const CLIENT = `
const { parentPort, workerData: { url, key, method, body, everyMs } } = require("node:worker_threads");
const { Agent, request } = require("node:http");
const agent = new Agent({ keepAlive: true });
const headers = { authorization: "Bearer " + key, "content-type": "application/json", "content-length": body.length };
setInterval(() => {
  const sentAt = Date.now();
  const startedAt = performance.now();
  request(url, { agent, method, headers }, (answer) => {
    answer.resume().on("end", () => {
      parentPort.postMessage({ sentAt, ms: performance.now() - startedAt, status: answer.statusCode });
    });
  }).end(body);
  parentPort.postMessage({ sentAt });
}, everyMs);`;

interface Sample {
  readonly sentAt: number;
  readonly ms: number;
  readonly status: number;
}

/** Answers may come seconds late beside what is made to cost much. */
const WAIT_MS = 30_000;

export function startNeighbour(request: NeighbourRequest): Neighbour {
  let sent: number[] = [];
  let samples: Sample[] = [];
  const worker = new Worker(CLIENT, { eval: true, workerData: request });
  worker.on("message", (message: Sample | { sentAt: number }) => {
    if ("ms" in message) samples.push(message);
    else sent.push(message.sentAt);
  });
  return {
    async p99During(work) {
      [sent, samples] = [[], []];
      const from = Date.now();
      await work();
      const to = Date.now();
      const within = ({ sentAt }: { sentAt: number }) => sentAt >= from && sentAt <= to;
      await waitFor("the next request", () => sent.some((sentAt) => sentAt > to), WAIT_MS);
      const count = sent.filter((sentAt) => within({ sentAt })).length;
      await waitFor("answers to all requests", () => samples.filter(within).length >= count, WAIT_MS);
      const answered = samples.filter(within);
      const failed = answered.find(({ status }) => status !== 200);
      if (failed !== undefined) throw new Error(`the neighbour got ${failed.status} from ${request.url}`);
      const sorted = answered.map(({ ms }) => ms).sort((a, b) => a - b);
      return sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY;
    },
    async warmUp(requests) {
      await waitFor("the neighbour to be warm", () => samples.length > requests, WAIT_MS);
    },
    async stop() {
      await worker.terminate();
    },
  };
}
