import { isAscii, isUtf8 } from "node:buffer";
import { readBody, readCleanBody } from "../src/ingest/read-body.ts";
import { encodeRecord } from "../src/ingest/record.ts";
import { depthOf } from "../src/lib/json.ts";
import { createTransform } from "../src/warehouse/transform.ts";
import { makeTemplate, putIds } from "./bodies.ts";

const ts = Array.from({ length: 64 }, (_, c) => {
  const t = makeTemplate({ shape: "batch", form: "object", port: 1, writeKey: "x" } as never, c);
  putIds(t, c * 100);
  return Buffer.from(t.bytes.subarray(t.bytes.indexOf("\r\n\r\n") + 4));
});
const dec = new TextDecoder("utf-8", { fatal: true });
const texts = ts.map((b) => dec.decode(b));
function time(name: string, f: (b: Buffer, i: number) => unknown, per = 100) {
  for (let r = 0; r < 3; r++) ts.forEach(f);
  const c0 = process.cpuUsage();
  const t0 = performance.now();
  const N = 20;
  for (let r = 0; r < N; r++) ts.forEach(f);
  const c = process.cpuUsage(c0);
  console.log(
    name.padEnd(34),
    (((performance.now() - t0) * 1000) / N / ts.length / per).toFixed(2),
    "us/event wall",
    ((c.user + c.system) / N / ts.length / per).toFixed(2),
    "cpu",
  );
}
console.log("bytes/event", ts[0]!.length / 100);
time("TextDecoder", (b) => dec.decode(b));
time("isAscii+latin1Slice", (b) => (isAscii(b) ? b.latin1Slice(0, b.length) : ""));
time("isUtf8+utf8", (b) => (isUtf8(b) ? b.utf8Slice(0, b.length) : ""));
time("depthOf", (_, i) => depthOf(texts[i]!, 1000));
time("JSON.parse", (_, i) => JSON.parse(texts[i]!));
time("JSON.parse latin1", (b) => JSON.parse(b.latin1Slice(0, b.length)));
time("readBody", (b) => readBody(b, "raw", false));
time("readCleanBody", (b) => readCleanBody(b));
const transform = createTransform();
const payloads = ts.map((b) =>
  Buffer.concat(
    encodeRecord(
      {
        projectId: "p",
        workspaceId: "w",
        receivedAtMs: Date.now(),
        rules: "raw",
        lines: false,
        idBase: "msg_x",
        clean: true,
      },
      b,
    ),
  ),
);
time(
  "transform 80 payloads",
  (_, i) => (i === 0 ? transform(payloads.map((payload) => ({ payload, place: "n" }))) : 0),
  100,
);
