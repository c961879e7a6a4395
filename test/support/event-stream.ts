import assert from "node:assert/strict";
import { get, type IncomingMessage } from "node:http";
import { waitFor } from "./wait.ts";

export interface StreamMessage {
  event: string;
  id: string;
  data: Record<string, unknown>;
}

/** A client of Server-Sent Events. */
export interface EventStream {
  response: IncomingMessage;
  messages: StreamMessage[];
  /** Lines that are comments. */
  comments(): number;
  /** The first message that is so. */
  find(event: string, isWanted?: (data: Record<string, unknown>) => boolean, withinMs?: number): Promise<StreamMessage>;
  /** True once the server has ended the stream. */
  hasEnded(): boolean;
  close(): void;
}

/** Without a key: by the cookie of the headers. */
export async function openEventStream(
  url: string,
  key: string | undefined,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers };
    get(url, { agent: false, headers: sent }, resolve).on("error", reject);
  });
  const messages: StreamMessage[] = [];
  let [rest, comments, ended] = ["", 0, false];
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const fields = new Map(part.split("\n").map((line) => splitAt(line, ": ")));
      if (part.startsWith(":")) comments += 1;
      const [event, data] = [fields.get("event"), fields.get("data")];
      if (event === undefined || data === undefined) continue;
      messages.push({ event, id: fields.get("id") ?? "", data: JSON.parse(data) as Record<string, unknown> });
    }
  });
  // A stream that the server cuts is an error here.
  response
    .on("error", () => undefined)
    .on("close", () => {
      ended = true;
    });
  return {
    response,
    messages,
    comments: () => comments,
    find: (event, isWanted = () => true, withinMs = 15_000) =>
      waitFor(
        `a message ${event}, among ${messages.length}`,
        () => messages.find((message) => message.event === event && isWanted(message.data)),
        withinMs,
      ),
    hasEnded: () => ended,
    close: () => void response.destroy(),
  };
}

export async function expectStream(
  url: string,
  key: string | undefined,
  headers?: Record<string, string>,
): Promise<EventStream> {
  const stream = await openEventStream(url, key, headers);
  assert.equal(stream.response.statusCode, 200);
  return stream;
}

function splitAt(line: string, separator: string): [string, string] {
  const at = line.indexOf(separator);
  return at === -1 ? [line, ""] : [line.slice(0, at), line.slice(at + separator.length)];
}
