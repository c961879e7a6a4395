import { listAudit } from "../../accounts/audit.ts";
import { iso } from "../../accounts/describe.ts";
import { ACCOUNT_LIMITS } from "../../contract/account-limits.ts";
import { AuditAnswer, AuditQuery } from "../../contract/settings.ts";
import { type Route, readRoute } from "../../http/route.ts";

export function auditRoutes(): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/api/settings/audit-log",
      operationId: "listAuditLog",
      tag: "Settings",
      summary: "List who changed what, newest first",
      description: `Changes by signed-in users and by commands, and what members do to their own accounts. Kept ${ACCOUNT_LIMITS.auditDays} days.`,
      access: "member",
      role: "admin",
      query: AuditQuery,
      answers: { 200: AuditAnswer },
      handle: async ({ db, key, parts: { query } }) => {
        const { entries, total } = await listAudit(db, key.workspaceId, query);
        const data = entries.map(({ id, atMs, userId, actor, action, target, details }) => {
          return { id, at: iso(atMs), actor: { userId, name: actor }, action, target, details };
        });
        const { page, size } = query;
        return { status: 200, body: { data, total, page, size, has_more: page * size < total } };
      },
    }),
  ];
}
