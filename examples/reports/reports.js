const { API_KEY, API_URL = "http://127.0.0.1:3000", PROJECT_ID } = process.env;
if (!API_KEY) {
  console.error("Set API_KEY: it is in data/credentials.json of your Sextant");
  process.exit(1);
}

async function ask(path, body) {
  const url = new URL(path, API_URL);
  if (PROJECT_ID) url.searchParams.set("project_id", PROJECT_ID);
  const answer = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.ok) return answer;
  const { error } = await answer.json();
  // Branch on the code: it is stable, the message is for people.
  throw new Error(`${error.code}: ${error.message} (${error.doc_url})`);
}

const REVENUE = `
  SELECT event, count() AS times, sum(revenue) AS total
  FROM events
  WHERE revenue > 0
  GROUP BY event
  ORDER BY total DESC
  LIMIT 5`;

const today = new Date().toISOString().slice(0, 10);
const report = await ask(`/v0/revenue_by_metric?metric_column=channel&date_from=${today}&date_to=${today}`);
console.log("Revenue of today by channel");
console.table((await report.json()).data, ["channel", "sum_revenue"]);

console.log("Events with the most revenue");
console.table((await (await ask("/v0/query", { query: REVENUE })).json()).data);

console.log("The same as CSV");
console.log(await (await ask("/v0/query?format=csv", { query: REVENUE })).text());
