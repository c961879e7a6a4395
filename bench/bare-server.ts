/** The server that Sextant is compared with: reads the body, answers 200. With `parse` it also parses the JSON. */
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
// Ends with its parent.
process.on("disconnect", () => process.exit(0));
