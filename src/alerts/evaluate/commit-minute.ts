/**
 * Commits what a minute of receipt has brought, in one or more transactions. Each has the firings of some alerts, their
 * deliveries and what says that they are told, or nothing of it; the last one has the number of the minute, too. What is
 * new follows from the rows of the control store, so that a minute that is read again after a crash, or because of a
 * late event, tells nothing twice.
 */
import type { ControlStore, Tx } from "../../control/store.ts";
import { lockRecipients } from "../../webhooks/recipients.ts";
import type { PageUrl } from "../messages.ts";
import { recordFiring } from "../record-firing.ts";
import { takeVersion, writeCounts, writeMinute } from "./looked-at.ts";
import type { EventReader } from "./new-events.ts";
import type { At, MakePlan, Plan, Planned } from "./plan.ts";
import { planEvents } from "./plan-events.ts";
import type { MinuteQuestion, MinuteRead } from "./read-minute.ts";
import { admit, isOver } from "./storm.ts";
import { lockStorm, tellCount, writeStorm } from "./storms.ts";
import { planWallets, writeTold } from "./wallets.ts";

export interface CommitDeps {
  store: ControlStore;
  engine: EventReader;
  pageUrl: PageUrl;
}

interface Fired {
  readonly kind: "event" | "user";
  readonly count: number;
}

/** Of the whole minute: undefined if somebody else was faster, and the rest of it was not written. */
type Version = number | undefined;

const NOTHING: MakePlan = async () => ({ plans: [], counts: [] });

/** Each `next` is a turn, in which a project has one transaction; its value is what has fired. */
export async function* commitMinute(
  deps: CommitDeps,
  workspaceId: string,
  question: MinuteQuestion,
  read: MinuteRead,
  { version: first, ...at }: At & { version: number },
): AsyncGenerator<readonly Fired[], Version> {
  const planDeps = { db: deps.store.read, engine: deps.engine, pageUrl: deps.pageUrl };
  const found = [...planEvents(planDeps, question, read, at), ...planWallets(planDeps, question, read, at)];
  const steps = found.length === 0 ? [NOTHING] : found;
  let version = first;
  for (const [nth, makePlan] of steps.entries()) {
    const isLast = nth === steps.length - 1;
    const planned = await makePlan();
    if (planned.plans.length > 0 || isLast) {
      const written = { workspaceId, question, planned, isLast, version, nowMs: at.nowMs };
      if (!(await commitStep(deps, written))) return undefined;
      version += 1;
    }
    yield planned.plans.map(({ ready, news }) => ({ kind: ready.alert.trigger as Fired["kind"], count: news }));
  }
  return version;
}

interface Step {
  readonly workspaceId: string;
  readonly question: MinuteQuestion;
  readonly planned: Planned;
  readonly isLast: boolean;
  readonly version: number;
  readonly nowMs: number;
}

function commitStep({ store, pageUrl }: CommitDeps, step: Step): Promise<boolean> {
  const { workspaceId, planned, version, nowMs } = step;
  const { projectId, minuteMs, events } = step.question;
  return store.write(async (tx) => {
    const owned = { workspaceId, projectId };
    if (!(await takeVersion(tx, owned, version))) return false;
    if (step.isLast) await writeMinute(tx, owned, { minuteMs, events });
    await writeCounts(tx, owned, minuteMs, planned.counts);
    const ids = planned.plans.map(({ ready }) => ready.alert.id);
    await lockRecipients(tx, store.backend, workspaceId, { kind: "alert", ids });
    for (const plan of planned.plans) await fire(tx, plan, nowMs, pageUrl);
    return true;
  });
}

async function fire(tx: Tx, { ready, news, firings, addresses }: Plan, nowMs: number, pageUrl: PageUrl): Promise<void> {
  const { alert } = ready;
  const before = await lockStorm(tx, alert.id);
  if (before === undefined) return;
  if (isOver(before, nowMs)) await tellCount(tx, alert, { storm: before, nowMs, pageUrl });
  const { storm, items } = admit(before, news, nowMs);
  await writeStorm(tx, alert.id, storm);
  for (const firing of firings.slice(0, items)) await recordFiring(tx, alert, firing, nowMs);
  await writeTold(tx, ready, addresses, nowMs);
}
