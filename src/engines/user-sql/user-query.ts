/** A statement of a user, and its answer as a stream. */
import type { Readable } from "node:stream";
import type { ConstantRelation } from "./constant-relation.ts";
import type { AnswerFormat } from "./formats.ts";

export interface UserQuery {
  readonly sql: string;
  /** Statements are limited for each workspace, so that one cannot take all places. */
  readonly workspaceId: string;
  readonly project: {
    readonly id: string;
    /** The first day that the project keeps. */
    readonly firstDay: string;
  };
  readonly format: AnswerFormat;
  /** Rows of a statement without LIMIT; by default 100. */
  readonly defaultRows?: number | undefined;
  /** Tables beside those of the catalogue. */
  readonly relations?: readonly ConstantRelation[] | undefined;
  /** From the start to the last byte that is read. */
  readonly timeoutMs: number;
}

/**
 * Answers a statement, or throws StatementRefused with a message for the user. The answer is complete when it ends; a
 * failure after its beginning, such as the end of its time, destroys it.
 */
export type RunUserQuery = (query: UserQuery, signal: AbortSignal) => Promise<Readable>;
