const { API_KEY, API_URL = "http://127.0.0.1:3000", PROJECT_ID } = process.env;
if (!API_KEY) {
  console.error("Set API_KEY: it is in data/credentials.json of your Sextant");
  process.exit(1);
}

async function ask(method, path, body) {
  const answer = await fetch(new URL(path, API_URL), {
    method,
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.ok) return answer.json();
  const { error } = await answer.json();
  // Branch on the code: it is stable, the message is for people.
  throw new Error(`${error.code}: ${error.message} (${error.doc_url})`);
}

const project = PROJECT_ID ? { project_id: PROJECT_ID } : {};

// Whoever has bought something. Behaviours are JSON in base64.
const bought = btoa(JSON.stringify([{ event: "Purchase", operator: "gte", times: 1 }]));
const segment = await ask("POST", "/v0/segments", {
  ...project,
  title: "Buyers",
  filters: [{ field: "events", op: "eq", value: bought }],
});

const CHARTS = [
  {
    chart_type: "number",
    title: "Visitors who bought",
    report: "kpis",
    params: { interval: "all", segment: segment.id },
    y_axis: ["visitors"],
  },
  {
    chart_type: "bar",
    title: "Revenue by event",
    query: `
      SELECT event, sum(revenue) AS total
      FROM events
      WHERE revenue > 0 AND toDate(timestamp) >= {{date_from}} AND toDate(timestamp) <= {{date_to}}
      GROUP BY event
      ORDER BY total DESC`,
    x_axis: "event",
    y_axis: ["total"],
  },
];

const board = await ask("POST", "/v0/boards", { ...project, title: "Orders" });
for (const chart of CHARTS) await ask("POST", `/v0/boards/${board.id}/charts`, chart);

const today = new Date().toISOString().slice(0, 10);
const days = `date_from=${today}&date_to=${today}`;
const { data, warnings } = await ask("GET", `/v0/boards/${board.id}/charts?include=results&${days}`);
for (const { title, y_axis, x_axis, results } of data) {
  console.log(title);
  console.table(results.data, [x_axis, ...y_axis].filter(Boolean));
}
for (const { chartId, error } of warnings?.errors ?? []) console.error(`${chartId}: ${error}`);

const { url } = await ask("POST", `/v0/boards/${board.id}/links`, { title: "Investors", days: 30 });
console.log(`Shared at ${url}`);
