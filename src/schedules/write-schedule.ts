/** The writes to scheduled reports. Each runs in the transaction of its request, with its recipients. */
import { getBoard } from "../boards/boards.ts";
import type { ScheduleBody, ScheduleChanges } from "../contract/report-schedules.ts";
import { validationError } from "../contract/validation-error.ts";
import type { Owner } from "../control/project-items.ts";
import type { SecretBox } from "../control/secret-box.ts";
import type { Tx } from "../control/store.ts";
import { findProject } from "../control/tenants.ts";
import { isTimeZone, UTC } from "../lib/time-zones.ts";
import { askRecipients } from "../mail/ask.ts";
import { type AddressPolicy, checkTargetUrl } from "../webhooks/address-guard.ts";
import { deleteRecipients, replaceRecipients } from "../webhooks/recipients.ts";
import { ofSchedule } from "../webhooks/sources.ts";
import { type GivenRecipient, listKnown, readRecipients } from "./recipients.ts";
import {
  changeSchedule,
  deleteSchedule,
  getSchedule,
  insertSchedule,
  type Schedule,
  type ScheduleFields,
} from "./schedules.ts";

interface Context {
  readonly box: SecretBox;
  /** Without a mail server, owners are asked by the first message after there is one. */
  readonly isConfigured: boolean;
  readonly userId: string | null;
  readonly nowMs: number;
}

const NEW: Omit<ScheduleFields, "title" | "every" | "timezone" | "daysIn"> = {
  boardId: null,
  weekday: 1,
  hour: 8,
  isActive: true,
};

/** Resolves the names of Slack targets, so it runs before the transaction. */
export async function checkTargets(given: readonly GivenRecipient[] | undefined, policy: AddressPolicy): Promise<void> {
  const failures = new Map<string, string>();
  for (const [at, one] of (given ?? []).entries()) {
    const [target] = readRecipients([one], [], () => undefined);
    const problem = target?.channel === "slack" ? await checkTargetUrl(target.targetUrl, policy) : undefined;
    if (problem !== undefined) failures.set(`body.recipients.${at}.value`, problem.message);
  }
  if (failures.size > 0) throw validationError(failures);
}

export async function createSchedule(
  tx: Tx,
  workspaceId: string,
  projectId: string,
  body: ScheduleBody,
  context: Context,
): Promise<string> {
  const { every, ...rest } = body;
  const daysIn = (await findProject(tx, workspaceId, projectId))?.timezone ?? UTC;
  const named = { title: body.title.trim(), every: every as ScheduleFields["every"], timezone: daysIn, daysIn };
  const fields = { ...NEW, ...named, ...given(rest) };
  await checkFields(tx, { workspaceId, projectId }, fields);
  const id = await insertSchedule(tx, workspaceId, { projectId, userId: context.userId, fields }, context.nowMs);
  await setRecipients(tx, workspaceId, id, body.recipients, context);
  return id;
}

export async function patchSchedule(
  tx: Tx,
  owner: Owner,
  id: string,
  changes: ScheduleChanges,
  context: Context,
): Promise<Schedule> {
  const old = await getSchedule(tx, owner, id);
  const every = (changes.every ?? old.every) as ScheduleFields["every"];
  const fields = { ...old, title: changes.title?.trim() ?? old.title, every, ...given(changes) };
  await checkFields(tx, { workspaceId: owner.workspaceId, projectId: old.projectId }, fields);
  if (Object.keys(changes).some((name) => name !== "recipients"))
    await changeSchedule(tx, owner.workspaceId, old, fields, context.nowMs);
  if (changes.recipients !== undefined) await setRecipients(tx, owner.workspaceId, id, changes.recipients, context);
  return getSchedule(tx, owner, id);
}

export async function removeSchedule(tx: Tx, owner: Owner, id: string, nowMs: number): Promise<Schedule> {
  const schedule = await getSchedule(tx, owner, id);
  await deleteRecipients(tx, owner.workspaceId, ofSchedule(id), nowMs);
  await deleteSchedule(tx, owner.workspaceId, id);
  return schedule;
}

type Given = Pick<ScheduleChanges, "board_id" | "weekday" | "hour" | "timezone" | "active">;

/** Without what is left out. */
function given({ board_id, weekday, hour, timezone, active }: Given) {
  return {
    ...(board_id === undefined ? {} : { boardId: board_id }),
    ...(weekday === undefined ? {} : { weekday }),
    ...(hour === undefined ? {} : { hour }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(active === undefined ? {} : { isActive: active }),
  };
}

async function checkFields(
  tx: Tx,
  owner: { workspaceId: string; projectId: string },
  { timezone, boardId }: ScheduleFields,
): Promise<void> {
  if (!isTimeZone(timezone))
    throw validationError(new Map([["body.timezone", "must be the name of a time zone, as Europe/Berlin"]]));
  if (boardId !== null) await getBoard(tx, owner, boardId, "body.board_id");
}

/** The owners of new addresses are asked at once, so that they can answer before the first report. */
async function setRecipients(
  tx: Tx,
  workspaceId: string,
  id: string,
  given: readonly GivenRecipient[],
  context: Context,
): Promise<void> {
  const failures = new Map<string, string>();
  const known = await listKnown(tx, workspaceId, id);
  const targets = readRecipients(given, known, (path, reason) => failures.set(path, reason));
  if (failures.size > 0) throw validationError(failures);
  const source = ofSchedule(id);
  await replaceRecipients(tx, workspaceId, source, targets, context);
  if (context.isConfigured) await askRecipients(tx, workspaceId, source, context);
}
