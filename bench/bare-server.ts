/** What Sextant is measured against: reads the body, answers 200. With `parse` it also does what every JSON service must. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const parses = process.argv[2] === "parse";
const ANSWER = '{"success":true}';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    if (parses) JSON.parse(body.toString());
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": ANSWER.length });
    response.end(ANSWER);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
// Without its parent there is nobody left to serve.
process.on("disconnect", () => process.exit(0));
