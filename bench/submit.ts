import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";

/** Submission id -> when the client received the answer. */
export type Acknowledged = Map<string, number>;

const BODY = JSON.stringify({ name: "Ada Lovelace", email: "ada@example.com", message: "x".repeat(400) });

export interface SubmitPlan {
  origin: string;
  /** Used in turn. */
  paths: readonly string[];
  seconds: number;
  /** Absent: as many as `connections` allow. */
  perSecond?: number;
  connections: number;
}

/** Posts submissions at a steady rate or as fast as they are answered. Every answer must be a 201. */
export async function submitAll(plan: SubmitPlan): Promise<{ acknowledged: Acknowledged; perSecond: number }> {
  const pool = new Pool(plan.origin, { connections: plan.connections, pipelining: 1 });
  const acknowledged: Acknowledged = new Map();
  const startedAt = performance.now();
  const endsAt = startedAt + plan.seconds * 1000;
  let turn = 0;

  async function submit(): Promise<void> {
    const path = plan.paths[turn % plan.paths.length] ?? "/";
    turn += 1;
    const answer = await pool.request({
      method: "POST",
      path,
      body: BODY,
      headers: { "content-type": "application/json" },
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 201) throw new Error(`a submission was answered with ${answer.statusCode}: ${text}`);
    const { data } = JSON.parse(text) as { data: { submissionId: string } };
    acknowledged.set(data.submissionId, performance.timeOrigin + performance.now());
  }

  async function submitInTurn(): Promise<void> {
    while (performance.now() < endsAt) await submit();
  }

  /** Open loop: the next one starts on time, even if the last is not answered. */
  async function submitOnTime(perSecond: number): Promise<void> {
    const running: Promise<void>[] = [];
    for (let i = 0; ; i += 1) {
      const dueAt = startedAt + (i * 1000) / perSecond;
      if (dueAt >= endsAt) break;
      await delay(Math.max(0, dueAt - performance.now()));
      const one = submit();
      // Awaited below; until then a rejection must not end the process before the cleanup.
      one.catch(() => undefined);
      running.push(one);
    }
    await Promise.all(running);
  }

  if (plan.perSecond === undefined) await Promise.all(Array.from({ length: plan.connections }, submitInTurn));
  else await submitOnTime(plan.perSecond);
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  return { acknowledged, perSecond: acknowledged.size / seconds };
}
