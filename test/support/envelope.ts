import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { ERROR_BODIES, type ErrorStyle } from "../../src/contract/error-body.ts";
import type { ErrorCode } from "../../src/contract/errors.ts";

const ajv = new Ajv2020({ strict: true });
(addFormats as unknown as (target: Ajv2020) => void)(ajv);
const checks = Object.fromEntries(Object.entries(ERROR_BODIES).map(([style, body]) => [style, ajv.compile(body)]));

interface Failure {
  code: ErrorCode;
  message: string;
  doc_url: string;
  param?: string;
  details?: Record<string, string>;
}

/**
 * Checks a response against the envelope and the rules of every non-2xx status; returns the error for further checks.
 */
export async function expectError(
  answer: Response,
  style: ErrorStyle,
  status: number,
  code: ErrorCode,
): Promise<Failure> {
  const text = await answer.text();
  assert.equal(answer.status, status, text);
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
  assert.match(answer.headers.get("x-request-id") ?? "", /\S/);
  const body = JSON.parse(text) as { error: Failure; message?: string };
  const check = checks[style];
  assert.ok(check?.(body), `${text} ${JSON.stringify(check?.errors)}`);
  assert.equal(body.error.code, code);
  assert.ok(body.error.doc_url.endsWith(`/docs/errors#${code.toLowerCase()}`));
  if (style === "api") assert.equal(body.message, body.error.message);
  return body.error;
}
