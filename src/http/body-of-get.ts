/**
 * The body of a GET. HTTP gives it no meaning, and Fastify does not read it; public clients send the conditions of a
 * search in one. Only routes that say so read it, as JSON and with the limits of any other body.
 */
import type { FastifyRequest } from "fastify";
import { ApiError } from "../contract/errors.ts";
import { LIMITS } from "../contract/limits.ts";
import { parseBody } from "./body.ts";

export async function readBodyOfGet(request: FastifyRequest): Promise<void> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A request that is destroyed gets no answer.
  for await (const chunk of request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LIMITS.apiBodyBytes)
      throw new ApiError("BAD_REQUEST", `The body is larger than ${LIMITS.apiBodyBytes} bytes`, { status: 413 });
    chunks.push(chunk);
  }
  if (bytes === 0) return;
  const type = request.headers["content-type"] ?? "application/json";
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new ApiError("BAD_REQUEST", "The body of this request is JSON", {
      status: 415,
      param: "header.content-type",
    });
  request.body = parseBody(Buffer.concat(chunks, bytes));
}
