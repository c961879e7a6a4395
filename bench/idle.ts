import { setTimeout as delay } from "node:timers/promises";
import { FORMS, type Form, makeTemplate, putIds } from "./bodies.ts";
import type { Sextant } from "./sextant.ts";

/** Above every number the load generator reaches in one run. */
const FIRST_NUMBER = 4_000_000_000;
const LOOK_EVERY_MS = 5;
const GIVE_UP_MS = 10_000;
/** Between two events: long enough for the writer to have nothing to do. */
const PAUSE_MS = 100;

/** One event at a time on an idle service: seconds from sending it until the stored counter moves. */
export async function measureIdle(sextant: Sextant, form: Form, times: number): Promise<number[]> {
  const { writeKey } = sextant.credentials;
  const template = makeTemplate({ shape: "single", form, port: sextant.port, writeKey }, 0);
  const seconds: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const { stored } = await sextant.waitUntilStored();
    await delay(PAUSE_MS);
    putIds(template, FIRST_NUMBER + i);
    const body = template.bytes.subarray(template.bytes.indexOf("\r\n\r\n") + 4);
    const sentAt = performance.now();
    const answer = await fetch(`http://127.0.0.1:${sextant.port}${FORMS[form]}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${writeKey}`, "Content-Type": "application/json" },
      body: new Uint8Array(body),
    });
    if (answer.status !== 200) throw new Error(`an event was answered ${answer.status}: ${await answer.text()}`);
    while ((await sextant.scrape()).stored === stored) {
      if (performance.now() - sentAt > GIVE_UP_MS) throw new Error("an event was not stored within 10 s");
      await delay(LOOK_EVERY_MS);
    }
    seconds.push((performance.now() - sentAt) / 1000);
  }
  return seconds;
}
