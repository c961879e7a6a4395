import type { Static } from "typebox";
import { SqlAnswer, SqlBody, type SqlFormat, SqlQuery, SqlSchema } from "../../contract/query.ts";
import { pickProject } from "../../control/report-projects.ts";
import { type Route, readRoute } from "../../http/route.ts";
import type { RunSql } from "../../query/sql/run-sql.ts";
import { SQL_SCHEMA } from "../../query/sql/schema.ts";

/** SQL over the events of one project. */
export function queryRoutes({ runSql }: { runSql: RunSql }): Route[] {
  return [
    readRoute({
      method: "POST",
      path: "/v0/query",
      operationId: "runQuery",
      tag: "SQL",
      summary: "Run SQL",
      description:
        "Runs one SELECT or WITH statement over the tables of the key's project. It changes nothing, so it needs no Idempotency-Key. An answer that takes too long, or is too large, ends without its last bytes.",
      access: "query:read",
      query: SqlQuery,
      body: SqlBody,
      answers: { 200: SqlAnswer },
      otherTypes: ["application/x-ndjson", "text/csv", "application/vnd.apache.parquet"],
      async handle({ key, db, parts: { query, body }, signal, charge }) {
        const { format, project_id } = query as Static<typeof SqlQuery> & { readonly format: SqlFormat };
        const project = await pickProject(db, key, project_id, "query.project_id");
        const owner = { workspaceId: key.workspaceId, project };
        const answer = await runSql(owner, { sql: (body as Static<typeof SqlBody>).query, format }, signal, charge);
        return { status: 200, contentType: answer.contentType, stream: answer.body };
      },
    }),
    readRoute({
      method: "GET",
      path: "/v0/query/schema",
      operationId: "getQuerySchema",
      tag: "SQL",
      summary: "Tables and functions of SQL",
      description: "The tables with their columns, and the functions, for editors.",
      access: "query:read",
      answers: { 200: SqlSchema },
      handle: async () => ({ status: 200, body: SQL_SCHEMA }),
    }),
  ];
}
