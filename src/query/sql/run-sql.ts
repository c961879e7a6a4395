/** Runs a statement that a user wrote: waits for a slot of the workspace, and frees it when the answer ends. */
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ApiError } from "../../contract/errors.ts";
import type { AnalyticsEngine } from "../../engines/port.ts";
import { FORMATS } from "../../engines/user-sql/formats.ts";
import { StatementRefused } from "../../engines/user-sql/statement-refused.ts";
import type { UserQuery } from "../../engines/user-sql/user-query.ts";
import type { Clock } from "../../lib/clock.ts";
import { findFirstDay } from "../report/question.ts";
import { inSlot, type SlotDeps, type Spent } from "../run/in-slot.ts";
import { type AnswerThread, encodeThere } from "./answer-thread.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { PARQUET_MODULE, PARQUET_TYPE } from "./parquet.ts";

export interface SqlOwner {
  readonly workspaceId: string;
  readonly project: {
    readonly id: string;
    /** Null: no limit. */
    readonly retentionDays: number | null;
  };
}

export interface SqlQuestion extends Pick<UserQuery, "sql" | "defaultRows" | "relations"> {
  readonly format: UserQuery["format"] | "parquet";
}

export interface SqlAnswer {
  readonly contentType: string;
  readonly body: Readable;
}

export type RunSql = (
  owner: SqlOwner,
  question: SqlQuestion,
  signal: AbortSignal,
  /** Counts from the slot to the last byte. */
  spent?: Spent,
) => Promise<SqlAnswer>;

export interface SqlDeps extends SlotDeps {
  engine: Pick<AnalyticsEngine, "runUserQuery">;
  clock: Clock;
  timeoutMs: number;
  /** Writes Parquet. */
  thread: AnswerThread;
}

export function createRunSql(deps: SqlDeps): RunSql {
  return ({ workspaceId, project }, question, signal, spent) => {
    const { promise, resolve, reject } = Promise.withResolvers<SqlAnswer>();
    const run = async () => {
      const firstDay = findFirstDay(project.retentionDays, deps.clock.nowMs());
      const format = question.format === "parquet" ? "rows" : question.format;
      const owned = { workspaceId, project: { id: project.id, firstDay }, timeoutMs: deps.timeoutMs };
      const body = await deps.engine.runUserQuery({ ...question, ...owned, format }, signal);
      if (question.format === "parquet") resolve({ contentType: PARQUET_TYPE, body: toParquet(deps.thread, body) });
      else resolve({ contentType: FORMATS[format].contentType, body });
      await finished(body);
    };
    // After the beginning of an answer the caller sees a failure at its stream.
    inSlot(deps, "sql", workspaceId, signal, spent, run).catch((cause: unknown) => reject(toApiError(cause, question)));
    return promise;
  };
}

function toParquet(thread: AnswerThread, body: Readable): Readable {
  const file = Readable.from(encodeThere(thread, PARQUET_MODULE, body, undefined), { objectMode: false });
  // Also where nobody began to read the file.
  file.once("close", () => body.destroy());
  return file;
}

function toApiError(cause: unknown, { sql, relations }: SqlQuestion): unknown {
  if (!(cause instanceof StatementRefused)) return cause;
  // With relations of its own it is a text of the endpoint for BI tools, which has rewritten it.
  const message = explainRefusal(cause.message, sql, relations === undefined);
  return new ApiError("BAD_REQUEST", message, { param: "body.query", cause });
}
