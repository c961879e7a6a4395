import type { Passwords } from "../../accounts/passwords.ts";
import { type Board, getBoard } from "../../boards/boards.ts";
import type { ChartSpec } from "../../boards/chart.ts";
import { listCharts } from "../../boards/charts.ts";
import type { LinkKeys } from "../../boards/link-keys.ts";
import { countLeftOut } from "../../boards/link-lock.ts";
import {
  type BoardLink,
  changeLink,
  createLink,
  getLink,
  isExpired,
  type LinkFields,
  listLinks,
  PLAIN_LINK,
  revokeLink,
} from "../../boards/links.ts";
import {
  LinkBody,
  LinkChanges,
  type LinkDraft,
  LinkListAnswer,
  LinkParams,
  LinkView,
} from "../../contract/board-links.ts";
import { BoardParams } from "../../contract/boards.ts";
import { ApiError } from "../../contract/errors.ts";
import { LINK_LIMITS } from "../../contract/link-limits.ts";
import { allows } from "../../contract/scopes.ts";
import type { ApiKey } from "../../control/keys.ts";
import { lockSegment } from "../../control/lock-rows.ts";
import { findSegment } from "../../control/segments.ts";
import type { Reader, Tx } from "../../control/store.ts";
import { type Checked, type Route, type RouteRequest, readRoute, writeRoute } from "../../http/route.ts";
import { readSegmentFilters } from "../../query/reports/segment-filters.ts";
import { isStageCondition } from "../../query/reports/user-filters.ts";

const TAG = "Boards";
const PATH = "/v0/boards/:boardId/links";

export interface LinkNeeds {
  linkKeys: LinkKeys;
  passwords: Passwords;
  publicApiUrl: () => string;
}

/** Public links of a board: made, changed and revoked by members. */
export function linkRoutes(needs: LinkNeeds): Route[] {
  const view = createViews(needs);
  return [...listRoutes(view), ...saveRoutes(needs, view), ...revokeRoutes(view)];
}

type ViewLinks = (
  db: Reader,
  board: Board,
  links: readonly BoardLink[],
  request: ViewRequest,
) => Promise<ReturnType<typeof viewLink>[]>;

function createViews(needs: LinkNeeds): ViewLinks {
  return async (db, board, links, { key, nowMs }) => {
    const { data: charts } = await listCharts(db, key.workspaceId, board);
    return links.map((link) => viewLink(needs, link, charts, key, nowMs));
  };
}

function listRoutes(view: ViewLinks): Route[] {
  return [
    readRoute({
      method: "GET",
      path: PATH,
      operationId: "listBoardLinks",
      tag: TAG,
      summary: "List the public links of a board",
      description: "Oldest first.",
      access: "boards:read",
      params: BoardParams,
      answers: { 200: LinkListAnswer },
      async handle(request) {
        const { db, key, parts } = request;
        const board = await getBoard(db, key, parts.params.boardId);
        const links = await listLinks(db, key.workspaceId, board.id);
        return { status: 200, body: { data: await view(db, board, links, request) } };
      },
    }),
  ];
}

function saveRoutes(needs: LinkNeeds, view: ViewLinks): Route[] {
  const readHash = createPasswordHashes(needs);
  return [
    writeRoute({
      method: "POST",
      path: PATH,
      operationId: "createBoardLink",
      tag: TAG,
      summary: "Create a public link of a board",
      description: `Whoever has it sees the board without an account, as far as the link allows. A board has at most ${LINK_LIMITS.perBoard}.`,
      access: "boards:write",
      params: BoardParams,
      body: LinkBody,
      check: checkFilters,
      answersSecret: true,
      answers: { 201: LinkView },
      prepare: (request) => readHash.prepare(request),
      async handle(request, tx) {
        const { key, member, parts, nowMs } = request;
        const board = await getBoard(tx, key, parts.params.boardId);
        const given = parts.body ?? {};
        const fields = await readFields(tx, key.workspaceId, board.projectId, PLAIN_LINK, given, nowMs);
        const hashed = { ...fields, passwordHash: readHash.take(request) ?? null };
        const made = { keys: needs.linkKeys, fields: hashed, userId: member?.userId ?? null };
        const id = await createLink(tx, key.workspaceId, board, made, nowMs);
        const link = await getLink(tx, key.workspaceId, board.id, id);
        const [body] = await view(tx, board, [link], request);
        return { status: 201, body, audit: { target: id, details: auditOf(link) } };
      },
    }),
    writeRoute({
      method: "PATCH",
      path: `${PATH}/:linkId`,
      operationId: "changeBoardLink",
      tag: TAG,
      summary: "Change a public link",
      description: "What is left out stays; null removes a limit. Its address stays the same.",
      access: "boards:write",
      params: LinkParams,
      body: LinkChanges,
      check: checkFilters,
      answersSecret: true,
      answers: { 200: LinkView },
      prepare: (request) => readHash.prepare(request),
      async handle(request, tx) {
        const { key, parts, nowMs } = request;
        const board = await getBoard(tx, key, parts.params.boardId);
        const link = await getLink(tx, key.workspaceId, board.id, parts.params.linkId);
        const fields = await readFields(tx, key.workspaceId, board.projectId, link, parts.body, nowMs);
        const hash = readHash.take(request);
        const hashed = { ...fields, passwordHash: hash === undefined ? link.passwordHash : hash };
        await changeLink(tx, key.workspaceId, link.id, hashed, nowMs);
        const changed = await getLink(tx, key.workspaceId, board.id, link.id);
        const details = { ...auditOf(changed), changed: Object.keys(parts.body) };
        const [body] = await view(tx, board, [changed], request);
        return { status: 200, body, audit: { target: link.id, details } };
      },
    }),
  ];
}

function revokeRoutes(view: ViewLinks): Route[] {
  return [
    writeRoute({
      method: "DELETE",
      path: `${PATH}/:linkId`,
      operationId: "revokeBoardLink",
      tag: TAG,
      summary: "Revoke a public link",
      description: "It stops at once and for good. Answers with the link.",
      access: "boards:write",
      params: LinkParams,
      answersSecret: true,
      answers: { 200: LinkView },
      async handle(request, tx) {
        const { key, parts } = request;
        const board = await getBoard(tx, key, parts.params.boardId);
        const link = await getLink(tx, key.workspaceId, board.id, parts.params.linkId);
        await revokeLink(tx, key.workspaceId, link.id);
        const [body] = await view(tx, board, [link], request);
        return { status: 200, body, audit: { target: link.id, details: auditOf(link) } };
      },
    }),
  ];
}

type Draft = RouteRequest<unknown, unknown, LinkDraft>;
type ViewRequest = Pick<Draft, "key" | "nowMs">;

/** Hashed before the transaction, because that takes 85 ms. */
function createPasswordHashes({ passwords }: LinkNeeds) {
  const hashes = new WeakMap<object, string | null>();
  // `passwords` of the needs is read when a request comes.
  return {
    async prepare(request: Draft): Promise<void> {
      const { password } = request.parts.body ?? {};
      if (password !== undefined) hashes.set(request, password === null ? null : await passwords.hash(password));
    },
    /** Undefined where the request has none. */
    take: (request: object) => hashes.get(request),
  };
}

/** The other reports would refuse it, and the link would show hardly any chart. */
const OF_WALLETS = "must not be lifecycle, which only reports about wallets know: a link limits all of its charts";

function checkFilters({ body }: { body: unknown }, nowMs: number): Checked<null> {
  const { filters } = (body ?? {}) as { filters?: unknown };
  const failures = new Map<string, string>();
  if (Array.isArray(filters)) {
    readSegmentFilters({ filters }, failures, nowMs);
    for (const [at, filter] of filters.entries())
      if (isStageCondition(filter)) failures.set(`body.filters.${at}.field`, OF_WALLETS);
  }
  return failures.size > 0 ? { ok: false, failures } : { ok: true, value: null };
}

/** All but the password. */
async function readFields(
  tx: Tx,
  workspaceId: string,
  projectId: string,
  old: LinkFields,
  given: LinkDraft,
  nowMs: number,
): Promise<LinkFields> {
  const fields: LinkFields = {
    title: given.title === undefined ? old.title : (given.title?.trim() ?? null),
    passwordHash: old.passwordHash,
    filters: given.filters === undefined ? old.filters : given.filters?.length ? given.filters : null,
    segmentId: given.segment === undefined ? old.segmentId : given.segment,
    dateFrom: given.date_from === undefined ? old.dateFrom : given.date_from,
    dateTo: given.date_to === undefined ? old.dateTo : given.date_to,
    days: given.days === undefined ? old.days : given.days,
    frameAncestors:
      given.frame_ancestors === undefined
        ? old.frameAncestors
        : [...new Set((given.frame_ancestors ?? []).map((origin) => origin.toLowerCase()))],
    expiresAtMs: given.expires_at === undefined ? old.expiresAtMs : readExpiry(given.expires_at, nowMs),
  };
  if (fields.days !== null && (fields.dateFrom !== null || fields.dateTo !== null))
    throw refused("days", "days stands for date_from and date_to: give one or the other");
  if (fields.dateFrom !== null && fields.dateTo !== null && fields.dateFrom > fields.dateTo)
    throw refused("date_from", "date_from must not be after date_to");
  if (fields.segmentId !== null && given.segment !== undefined) {
    await lockSegment(tx, workspaceId, projectId, fields.segmentId);
    const segment = await findSegment(tx, { workspaceId, projectId }, fields.segmentId);
    if (segment === undefined) throw new ApiError("NOT_FOUND", "There is no such segment", { param: "body.segment" });
    if (segment.filters.some(isStageCondition)) throw refused("segment", `Its fields ${OF_WALLETS}`);
  }
  return fields;
}

const LATEST_EXPIRY_MS = Date.UTC(2101, 0, 1);

function readExpiry(text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  const at = Date.parse(text);
  if (at > nowMs && at < LATEST_EXPIRY_MS) return at;
  throw refused("expires_at", "expires_at must lie in the future, before the year 2101");
}

function refused(field: string, message: string): ApiError {
  return new ApiError("BAD_REQUEST", message, { param: `body.${field}` });
}

/** The address is for those who could make a link themselves: it would outlive a reader's right. */
function viewLink(
  { linkKeys, publicApiUrl }: LinkNeeds,
  link: BoardLink,
  charts: readonly ChartSpec[],
  key: ApiKey,
  nowMs: number,
) {
  const isoOrNull = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  const token = allows(key.scopes, "boards:write") ? linkKeys.find(link.id, link.sealed) : undefined;
  return {
    id: link.id,
    board_id: link.boardId,
    title: link.title,
    url: token === undefined ? null : `${publicApiUrl()}/s/${token}`,
    has_password: link.passwordHash !== null,
    filters: link.filters,
    segment: link.segmentId,
    date_from: link.dateFrom,
    date_to: link.dateTo,
    days: link.days,
    frame_ancestors: link.frameAncestors,
    charts_left_out: countLeftOut(link, charts),
    expires_at: isoOrNull(link.expiresAtMs),
    expired: isExpired(link, nowMs),
    created_at: new Date(link.createdAtMs).toISOString(),
    updated_at: isoOrNull(link.updatedAtMs),
    last_used_at: isoOrNull(link.lastUsedAtMs),
    uses: link.uses,
  };
}

function auditOf({ boardId, title, passwordHash, expiresAtMs, filters, segmentId }: BoardLink) {
  return {
    board: boardId,
    title,
    hasPassword: passwordHash !== null,
    isLimited: filters !== null || segmentId !== null,
    expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
  };
}
