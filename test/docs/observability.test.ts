import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { parse } from "yaml";
import { scrape } from "../../bench/scrape.ts";
import { PARKED_REASONS, REFUSED_REASONS } from "../../src/contract/event-reasons.ts";
import { readMetrics, waitForLedgerMetrics } from "../support/metrics.ts";
import { makeDataDir, readCredentials, startService, type TestService } from "../support/service.ts";
import { startTarget } from "../support/targets.ts";
import { waitFor } from "../support/wait.ts";

interface Panel {
  title: string;
  gridPos: { x: number; y: number };
  targets?: { expr: string }[];
}

const read = (file: string) => readFileSync(new URL(`../../docs/${file}`, import.meta.url), "utf8");
const DASHBOARD = JSON.parse(read("grafana-dashboard.json")) as { panels: Panel[] };
const OPERATIONS = read("operations.md");

/** What has been promised must be visible; each is named by the metric that shows it. */
const PROMISES = {
  accepted: "sextant_events_total",
  refused: "sextant_events_refused_total",
  received: "sextant_ledger_received",
  "stored and duplicate": "sextant_ledger_events",
  copies: "sextant_events_duplicate_total",
  parked: "sextant_events_parked_total",
  "log bytes": "sextant_log_bytes",
  "log age and writer lag": "sextant_log_oldest_seconds",
  freshness: "sextant_event_freshness_seconds",
  "query time by report": "sextant_report_seconds",
  "rejected by limit": "sextant_limited_total",
  "deliveries by outcome": "sextant_webhook_deliveries_total",
  "queue age": "sextant_webhook_queue_age_seconds",
  "partitions without rollups": "sextant_partitions_dirty",
} as const;

interface Alerts {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
}

function alertRules(): string[] {
  const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(OPERATIONS) ?? [];
  return (parse(yaml) as Alerts).groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
}

const QUERIES = [...DASHBOARD.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), ...alertRules()];

const metricsOf = (text: string) =>
  [...text.matchAll(/\b((?:sextant|process|nodejs)_\w+)/g)].map(([, name = ""]) => name);
const family = (name: string) => name.replace(/_(bucket|sum|count)$/, "");

/** The labels that a query names, in braces or after `by`. Prometheus itself adds `instance`. */
function labelsOf(query: string): string[] {
  const inBraces = [...query.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = ""]) => label);
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/));
  return [...inBraces, ...grouped].filter((label) => label !== "instance");
}

describe("what can be watched", () => {
  const data = makeDataDir();
  let service: TestService;
  /** Family -> the labels it was seen with. */
  const exported = new Map<string, Set<string>>();
  let text = "";

  before(async () => {
    service = await startService(data.dir, { SEXTANT_API_RATE_PER_SECOND: "1", SEXTANT_API_RATE_BURST: "6" });
    await useEverything(service, data.dir);
    const answer = await fetch(`${service.opsUrl}/metrics`);
    text = await answer.text();
    for (const [, name = ""] of text.matchAll(/^# TYPE (\w+) /gm)) exported.set(name, new Set());
    for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
      const known = exported.get(name) ?? exported.get(family(name));
      for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known?.add(label);
    }
  });
  after(async () => {
    await service.kill("SIGTERM");
    data.remove();
  });

  test("every query of the dashboard and of the alerts uses metrics and labels that a running service exports", () => {
    assert.ok(QUERIES.length > 30);
    for (const query of QUERIES) {
      const names = metricsOf(query);
      assert.ok(names.length > 0, query);
      const labels = new Set(names.flatMap((name) => [...(exported.get(name) ?? exported.get(family(name)) ?? [])]));
      for (const name of names) assert.ok(exported.has(name) || exported.has(family(name)), `${name} in ${query}`);
      for (const label of labelsOf(query)) assert.ok(labels.has(label), `${label} in ${query}`);
    }
  });

  test("every metric of ours is on the dashboard and described in the operations guide", () => {
    const shown = new Set(QUERIES.flatMap(metricsOf).map(family));
    const ours = [...exported.keys()].filter((name) => name.startsWith("sextant_"));
    assert.ok(ours.length > 15);
    assert.deepEqual(
      ours.filter((name) => !shown.has(name) || !OPERATIONS.includes(`\`${name}`)),
      [],
    );
    for (const [promise, name] of Object.entries(PROMISES)) assert.ok(ours.includes(name), promise);
  });

  test("reports are timed by name and outcome, and refusals counted by limit", () => {
    assert.match(text, /^sextant_report_seconds_count\{report="top_chains",outcome="answered"\} 1$/m);
    assert.match(text, /^sextant_limited_total\{limit="api"\} [1-9]/m);
    assert.match(text, /^sextant_limited_total\{limit="events"\} 0$/m);
    assert.match(text, /^sextant_http_requests_total\{server="api",.*status="429"\} [1-9]/m);
  });

  test("an error of a client is counted under its reason, and never under a reason that the alert uses", async () => {
    const parked = new Map(
      [...text.matchAll(/^sextant_events_parked_total\{reason="(\w+)"\} (\d+)$/gm)].map(([, reason, n]) => [reason, n]),
    );
    assert.deepEqual(new Set(parked.keys()), new Set(PARKED_REASONS));
    assert.equal(parked.get("invalid_fields"), "1");
    const [alert = ""] = alertRules().filter((expr) => expr.includes("sextant_events_parked_total"));
    const watched = /reason=~"([\w|]+)"/.exec(alert)?.[1]?.split("|") ?? [];
    assert.deepEqual(watched.toSorted(), ["enrich_failed", "unreadable_record", "warehouse_refused"]);
    for (const reason of watched) assert.equal(parked.get(reason), "0", reason);
    assert.equal((await scrape(service.opsUrl)).parked, 1);
  });

  test("a refusal is counted under its reason, from a closed list", () => {
    const refused = [...text.matchAll(/^sextant_events_refused_total\{reason="(\w+)"\} (\d+)$/gm)];
    assert.deepEqual(new Set(refused.map(([, reason]) => reason)), new Set(REFUSED_REASONS));
    assert.deepEqual(
      refused.filter(([, , events]) => events !== "0").map(([, reason, events]) => [reason, events]),
      [["bad_query", "1"]],
    );
  });

  test("received = stored + duplicate + parked + refused, and every reason is from a closed list", async () => {
    const outcomes = [...text.matchAll(/^sextant_ledger_events\{outcome="(\w+)",reason="(\w*)"\} \d+$/gm)];
    const reasonsOf = (wanted: string) =>
      outcomes.filter(([, outcome]) => outcome === wanted).map(([, , reason]) => reason);
    assert.deepEqual(
      new Set(outcomes.map(([, outcome]) => outcome)),
      new Set(["stored", "duplicate", "parked", "refused"]),
    );
    assert.deepEqual([...reasonsOf("stored"), ...reasonsOf("duplicate")], ["", ""]);
    assert.deepEqual(new Set(reasonsOf("parked")), new Set(PARKED_REASONS));
    assert.deepEqual(new Set(reasonsOf("refused")), new Set(REFUSED_REASONS));
    const told = { received: 5, stored: 2, duplicate: 1, parked: 1, refused: 1 };
    assert.deepEqual(await waitForLedgerMetrics(service.opsUrl, 5), told);
  });

  test("the lag of the event loop is on the dashboard, and an alert watches it", () => {
    const shown = DASHBOARD.panels.filter(({ targets = [] }) =>
      targets.some(({ expr }) => expr.startsWith("nodejs_eventloop_lag_p99_seconds")),
    );
    assert.deepEqual(
      shown.map(({ title }) => title),
      ["Event loop"],
    );
    assert.ok(alertRules().includes("nodejs_eventloop_lag_p99_seconds > 0.2"));
  });

  test("every reason label is in the operations guide", () => {
    for (const reason of [...PARKED_REASONS, ...REFUSED_REASONS])
      assert.match(OPERATIONS, new RegExp(`^\\| (\`\\w+\`, )*\`${reason}\``, "m"), reason);
  });

  test("panels have unique titles and do not overlap", () => {
    const { panels } = DASHBOARD;
    assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length);
    assert.equal(new Set(panels.map(({ gridPos }) => `${gridPos.x} ${gridPos.y}`)).size, panels.length);
  });
});

/**
 * One of each: a stored, a parked, a duplicate and a refused event, a delivery, a report, and requests up to the rate
 * limit.
 */
async function useEverything(service: TestService, dataDir: string): Promise<void> {
  const { apiKey, writeKey } = readCredentials(dataDir);
  const json = { "content-type": "application/json" };
  const post = async (url: string, headers: Record<string, string>, body: object) => {
    const answer = await fetch(url, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json()) as { data: { id: string } };
  };
  const page = { type: "page", channel: "web", version: "0", anonymous_id: "a" };
  await post(`${service.eventsUrl}/v0/raw_events`, { authorization: `Bearer ${writeKey}` }, [
    page,
    { ...page, version: 0 },
  ]);
  const copied = { ...page, message_id: "copied" };
  await post(`${service.eventsUrl}/v0/raw_events`, { authorization: `Bearer ${writeKey}` }, [copied, copied]);
  const wrong = {
    method: "POST",
    headers: { ...json, authorization: `Bearer ${writeKey}` },
    body: JSON.stringify(page),
  };
  assert.equal((await fetch(`${service.eventsUrl}/v0/raw_events?detail=1`, wrong)).status, 400);
  await waitFor("the parked and the refused event in the metrics", async () => {
    const metric = await readMetrics(service.opsUrl);
    return metric("sextant_events_parked_total") === 1 && metric("sextant_events_refused_total") === 1;
  });
  await waitForLedgerMetrics(service.opsUrl, 0);
  const target = await startTarget((response) => response.end());
  try {
    const key = { "x-api-key": apiKey };
    const draft = { title: "Beta", fields: [{ label: "Email", type: "email" }] };
    const form = await post(`${service.apiUrl}/api/forms`, key, draft);
    const subscription = { formId: form.data.id, targetUrl: `${target.url}/hook`, eventTypes: ["FORM_SUBMISSION"] };
    await post(`${service.apiUrl}/api/webhooks`, key, subscription);
    await post(`${service.apiUrl}/f/${form.data.id}`, {}, { email: "ada@example.com" });
    await waitFor("the delivery in the metrics", async () =>
      /webhook_deliveries_total\{outcome="delivered"\} 1/.test(await (await fetch(`${service.opsUrl}/metrics`)).text()),
    );
  } finally {
    await target.close();
  }
  const ask = async () => {
    const answer = await fetch(`${service.apiUrl}/v0/top_chains`, { headers: { authorization: `Bearer ${apiKey}` } });
    await answer.arrayBuffer();
    return answer.status;
  };
  assert.equal(await ask(), 200);
  await waitFor(
    "a refusal",
    async () => (await fetch(`${service.apiUrl}/api/forms`, { headers: { "x-api-key": apiKey } })).status === 429,
  );
}
