/** An installation with some of every kind of data, and all its answers, to test that they survive a move. */
import assert from "node:assert/strict";
import { sampleEvent } from "./events.ts";
import { waitFor } from "./wait.ts";

export interface Place {
  apiUrl: string;
  eventsUrl: string;
  apiKey: string;
  writeKey: string;
}

const VISITORS = ["ada", "bob", "eve", "mia"];
const SOURCES = ["https://www.google.com/", "", "https://t.co/x", "https://news.example.org/a"];
export const DAYS = ["2026-03-09", "2026-03-10", "2026-03-11", "2026-04-02"];

/** Fixed events over four days and two months, the same in every run. */
export function knownEvents(): Record<string, unknown>[] {
  return DAYS.flatMap((day, d) =>
    VISITORS.flatMap((visitor, v) => {
      const at = (time: string) => ({ original_timestamp: `${day}T${time}Z`, sent_at: `${day}T${time}Z` });
      const page = { page_url: `https://app.example.com/p${(d + v) % 3}`, referrer: SOURCES[(d * v) % 4] ?? "" };
      const common = { channel: "server", anonymous_id: visitor };
      const paid = { revenue: (d + 1) * (v + 1) * 0.1, chain_id: v % 2 === 0 ? 1 : 8453 };
      return [
        sampleEvent(`${day}-${visitor}-1`, { ...common, ...at("10:00:00"), context: JSON.stringify(page) }),
        sampleEvent(`${day}-${visitor}-2`, {
          ...common,
          ...at("10:05:00"),
          type: "track",
          event: "Swap\t'done'\n",
          context: "{}",
          properties: JSON.stringify(paid),
        }),
      ];
    }),
  );
}

export async function sendEvents(place: Place, events: readonly object[], writeKey = place.writeKey): Promise<void> {
  const answer = await fetch(`${place.eventsUrl}/v0/events?name=raw_events`, {
    method: "POST",
    headers: { authorization: `Bearer ${writeKey}`, "content-type": "application/json" },
    body: JSON.stringify(events),
  });
  assert.equal(answer.status, 200, await answer.text());
}

export async function call<T>(place: Place, method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${place.apiUrl}${path}`, {
    method,
    headers: { "x-api-key": place.apiKey, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
}

/** Events, one of them parked, a form with two submissions and a subscription. */
export async function fillInstallation(
  place: Place,
  targetUrl: string,
): Promise<{ formId: string; webhookId: string }> {
  await sendEvents(place, [...knownEvents(), { type: "broken" }]);
  const made = await call<{ data: { id: string } }>(place, "POST", "/api/forms", {
    title: "Join the beta",
    fields: [
      { label: "Email", type: "email", required: true },
      { label: "Chain", type: "select", options: [{ label: "Base", value: "8453" }] },
    ],
  });
  const formId = made.data.id;
  const { data } = await call<{ data: { webhookId: string } }>(place, "POST", "/api/webhooks", {
    formId,
    targetUrl,
    eventTypes: ["FORM_SUBMISSION"],
  });
  for (const email of ["ada@example.com", "bob@example.com"])
    await call(place, "POST", `/f/${formId}`, { email, chain: "8453" });
  await waitFor(
    "the events to be stored",
    async () => (await report(place, "top_sources", WINDOWS[0] ?? "")).length > 0,
  );
  return { formId, webhookId: data.webhookId };
}

const WINDOWS = ["date_from=2026-03-01&date_to=2026-04-30", "date_from=2026-03-10&date_to=2026-03-11"];
const SOURCE_COLUMNS = ["referrer", "origin", "device", "channel"];
const REVENUE_COLUMNS = ["pathname", "referrer", "channel", "chain_id", "event"];

async function report(place: Place, name: string, query: string): Promise<object[]> {
  const found = await call<{ data: object[] }>(place, "GET", `/v0/${name}?${query}`);
  return found.data;
}

/** Every report, and all API responses about forms, webhooks and the key. */
export async function readAnswers(place: Place, formId: string): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const window of WINDOWS) {
    answers[`top_chains ${window}`] = await report(place, "top_chains", window);
    for (const column of SOURCE_COLUMNS)
      answers[`top_sources ${column} ${window}`] = await report(
        place,
        "top_sources",
        `${window}&metric_column=${column}`,
      );
    for (const column of REVENUE_COLUMNS)
      answers[`revenue ${column} ${window}`] = await report(
        place,
        "revenue_by_metric",
        `${window}&metric_column=${column}`,
      );
  }
  for (const path of [
    `/api/webhooks/${formId}/poll`,
    `/api/webhooks?formId=${formId}`,
    `/api/forms/${formId}/submissions`,
  ])
    answers[path] = await call(place, "GET", path);
  answers.key = await call(place, "POST", "/api/validate-api-key");
  return answers;
}
