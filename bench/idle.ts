import { setTimeout as delay } from "node:timers/promises";
import { FORMS, type Form, makeTemplate, putIds } from "./bodies.ts";
import type { Sextant } from "./sextant.ts";

/** Above every number that the load generator reaches in one run. */
const FIRST_NUMBER = 4_000_000_000;
const SCRAPE_EVERY_MS = 5;
const GIVE_UP_MS = 10_000;
/** The pause between two events: long enough for an idle writer. */
const PAUSE_MS = 100;

/**
 * Sends one event at a time to an idle service. Resolves with the seconds from each send until the stored counter
 * increases.
 */
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
      await delay(SCRAPE_EVERY_MS);
    }
    seconds.push((performance.now() - sentAt) / 1000);
  }
  return seconds;
}
