/** Requests to an operation of openapi.json: as documented, and with something wrong in them. */
import fc from "fast-check";
import { sampleEvent } from "../support/events.ts";
import type { Operation, Parameter, Schema } from "./openapi.ts";

/** Texts that begin with `$` stand for what the fixture has under that name. */
export interface GeneratedRequest {
  /** In this order; each is text as it stands in the URL. */
  segments: Record<string, string>;
  query: string[];
  credential: "good" | "none" | "wrong" | "of the other server";
  headers: Record<string, string>;
  body: { kind: "none" } | { kind: "json"; value: unknown } | { kind: "text"; text: string };
}

const FORM = {
  title: "Contact",
  fields: [
    { label: "Name", type: "short_text", required: true },
    { label: "Size", type: "select", options: [{ label: "Small", value: "s" }] },
  ],
};
const EVENT = { ...sampleEvent("fuzz"), message_id: "fuzz" };
/** Values that a schema cannot tell: the ids there are, and addresses that may be called. */
/** Of the paths of profiles. */
export const ADDRESS = `0x${"a".repeat(40)}`;
const KNOWN_BODIES: Record<string, unknown> = {
  createForm: FORM,
  replaceForm: FORM,
  submitForm: { name: "Ada", size: "s" },
  subscribeWebhook: { formId: "$formId", targetUrl: "$targetUrl", eventTypes: ["FORM_SUBMISSION"] },
  changeWebhook: { enabled: true },
  rotateWebhookSecret: { overlapHours: 1 },
  recoverDeliveries: { since: new Date(Date.now() - 3_600_000).toISOString() },
  signInWithPassword: { name: "Ada", password: "correct horse battery" },
  beginPasskey: {},
  beginPasskeySignIn: {},
  beginWallet: { address: `0x${"0".repeat(39)}1`, chainId: 1 },
  beginWalletSignIn: { address: `0x${"0".repeat(39)}1`, chainId: 1 },
  acceptInvite: { token: "$inviteToken" },
  changeMember: { role: "editor" },
  createInvite: { role: "viewer", note: "For Grace" },
  createProject: { name: "$newName" },
  changeProject: { excludeBots: true, retentionDays: null },
  renameWorkspace: { name: "Workspace" },
  createKey: { name: "Key", scopes: ["query:read"] },
  createWriteKey: { name: "Key", projectId: "$projectId" },
  createBiToken: { name: "Charts", projectId: "$projectId" },
  readLink: { token: "$inviteToken" },
  resetPassword: { token: "$resetToken", password: "another horse battery" },
  signOut: {},
  changePassword: { newPassword: "another horse battery" },
  replayParked: { projectId: "$projectId" },
  createAnnotation: { project_id: "$projectId", date: "2026-03-31", note: "Launch" },
  changeSavedQuery: { name: "Visitors" },
  createSavedQuery: { project_id: "$projectId", name: "Visitors", query: "SELECT count() FROM events" },
  readNotifications: { project_id: "$projectId", until: "2026-03-31T12:00:00Z" },
  createImport: { project_id: "$projectId", fileName: "events.csv", fileBytes: 10 },
  previewImport: { source: "generic" },
  startImport: { source: "generic", columns: { timestamp: "paid_at" } },
  createSegment: {
    project_id: "$projectId",
    title: "Phones",
    filters: [{ field: "device", op: "eq", value: "mobile" }],
  },
  changeSegment: { title: "Tablets" },
  createReportSchedule: { project_id: "$projectId", title: "Weekly", every: "week", recipients: [] },
  changeReportSchedule: { hour: 9 },
  askMailAddress: { address: "ada@example.com" },
  createAlert: {
    project_id: "$projectId",
    name: "Purchase",
    trigger_type: "event",
    trigger_filters: [{ field: "event", value: "purchase" }],
    recipient: [{ type: "webhook", value: ["$targetUrl"] }],
  },
  replaceAlert: { name: "Wallet", trigger_type: "user", trigger_filters: [{ field: "volume", value: "1" }] },
  changeAlert: { status: "inactive" },
  previewAlert: {
    project_id: "$projectId",
    trigger_type: "metric",
    metric: {
      of: "report",
      report: "kpis",
      value: "visitors",
      window: { value: 1, unit: "hours" },
      condition: { kind: "above", threshold: 1 },
    },
  },
  testAlert: { recipientOverrides: [{ type: "webhook", value: ["$targetUrl"] }] },
  createBoardLink: { title: "Investors", days: 30, password: "correct horse battery" },
  changeBoardLink: { days: null },
  openSharedBoard: { password: "correct horse battery" },
  createBoard: { project_id: "$projectId", title: "Growth" },
  changeBoard: { isPublic: true },
  previewChart: { chart_type: "table", title: "Sources", report: "top_sources" },
  createChart: { chart_type: "number", title: "Events", query: "SELECT count() AS n FROM events" },
  replaceChart: {
    chart_type: "funnel",
    title: "Funnel",
    steps: [{ type: "event", event: "page" }, { type: "connect" }],
  },
  changeChart: { title: "Renamed", settings: { layout: { width: 4, height: 1 } } },
  reorderCharts: { chartIds: ["$chartId"] },
  moveChart: { targetBoardId: "$otherBoardId" },
  searchProfilesByPost: { filters: [{ field: "users.revenue", op: "gte", value: 1 }] },
  searchProfilesAtSearch: { filters: [] },
  setProfileProperties: { display_name: "Ada" },
  setPropertiesOfProfiles: [{ address: ADDRESS, display_name: "Ada" }],
  setProfileLabels: { tag_id: "vip", value: "1" },
  setLabelsOfProfiles: [{ address: ADDRESS, tag_id: "vip" }],
  deleteProfileLabel: { tag_id: "vip" },
  importWallets: { addresses: [ADDRESS] },
  runQuery: { query: "SELECT event, count() AS n FROM events GROUP BY event" },
  trackEvents: [EVENT],
  trackRawEvents: EVENT,
};
const STEP = '{"type":"event","event":"page","name":"page::0"}';
const STEPS = `[${STEP},{"type":"event","event":"connect","name":"connect::1"}]`;
const OF_PROJECT = ["project_id=$projectId"];
const KNOWN_QUERIES: Record<string, string[]> = {
  searchProfiles: OF_PROJECT,
  searchProfilesByPost: OF_PROJECT,
  searchProfilesAtSearch: OF_PROJECT,
  setProfileProperties: OF_PROJECT,
  setPropertiesOfProfiles: OF_PROJECT,
  setProfileLabels: OF_PROJECT,
  setLabelsOfProfiles: OF_PROJECT,
  deleteProfileLabel: OF_PROJECT,
  importWallets: OF_PROJECT,
  getProfile: OF_PROJECT,
  listIdentities: OF_PROJECT,
  eraseProfile: OF_PROJECT,
  sendImportPart: ["offset=0"],
  listNotifications: OF_PROJECT,
  unsubscribeWebhook: ["webhookId=$webhookId"],
  revenueByMetric: ["metric_column=channel"],
  volumeByMetric: ["metric_column=channel"],
  distinctValues: ["field=device"],
  listSavedQueries: OF_PROJECT,
  runQuery: OF_PROJECT,
  listBoards: OF_PROJECT,
  deleteBoard: ["with_charts=true"],
  queryChart: ["dateFrom=2026-03-01", "dateTo=2026-03-02"],
  revenueTimeseries: ["address=0xabc"],
  funnel: ["date_from=2026-03-01", "date_to=2026-03-02", `steps=${encodeURIComponent(STEPS)}`],
  flow: ["date_from=2026-03-01", "date_to=2026-03-02", `start_step=${encodeURIComponent(STEP)}`],
};
const KNOWN_VALUES: Record<string, string[]> = {
  formId: ["$formId"],
  webhookId: ["$webhookId"],
  project_id: ["$projectId"],
  targetBoardId: ["$otherBoardId"],
  // No name of another host: a lookup would leave the machine.
  targetUrl: ["$targetUrl", "http://10.0.0.1/", "http://[::1]/", "ftp://127.0.0.1/", "http://127.0.0.1:99999/", "//x"],
  name: ["raw_events"],
  steps: [STEPS, `[${STEP}]`, "[]", "{}"],
  start_step: [STEP, "{}", "["],
  cursor: ["1772323200001-1", "1772323200001-18446744073709551615", "1772323200001"],
  field: ["referrer", "location", "page", "address", "volume"],
  metric_column: ["channel", "device", "referrer", "pathname", "chain_id", "event", "no_such_column"],
  filters: [
    '[{"field":"device","op":"equals","value":"desktop"}]',
    '[{"field":"volume","op":"gt","value":"1e3"}]',
    '[{"field":"channel","op":"in","value":["direct","a|b"]}]',
    '[{"field":"revenue","op":"lt","value":"1x"}]',
    '[{"field":"no","op":"equals","value":1}]',
    "[{}]",
    "{",
  ],
};

/** One that must succeed while the fixture is there. */
export function knownRequest(operation: Operation): GeneratedRequest {
  const body = KNOWN_BODIES[operation.id];
  return {
    segments: Object.fromEntries(of(operation, "path").map(({ name }) => [name, `$${name}`])),
    query: KNOWN_QUERIES[operation.id] ?? [],
    credential: "good",
    headers: {},
    body: body === undefined ? { kind: "none" } : { kind: "json", value: body },
  };
}

export function anyRequest(operation: Operation): fc.Arbitrary<GeneratedRequest> {
  return fc.record({
    segments: fc.record(
      Object.fromEntries(of(operation, "path").map(({ name }) => [name, mostly(fc.constant(`$${name}`), ODD_SEGMENT)])),
    ),
    query: fc
      .tuple(...of(operation, "query").map(anyParameter), mostly(fc.constant([]), ODD_QUERY))
      .map((parts) => parts.flat()),
    credential: mostly(
      fc.constant("good" as const),
      fc.constantFrom("none" as const, "wrong" as const, "of the other server" as const),
    ),
    headers: fc
      .tuple(
        mostly(fc.constant({}), ODD_TYPE),
        mostly(fc.constant({}), ODD_ACCEPT),
        mostly(fc.constant({}), operation.method === "GET" ? fc.constant({}) : ODD_KEY),
      )
      .map((parts) => Object.assign({}, ...parts) as Record<string, string>),
    body: anyBody(operation),
  });
}

function anyBody(operation: Operation): fc.Arbitrary<GeneratedRequest["body"]> {
  if (operation.method === "GET") return fc.constant({ kind: "none" });
  const known = KNOWN_BODIES[operation.id];
  const documented = operation.body ? valuesOf(operation.body.schema) : fc.constant({});
  const value = known === undefined ? documented : fc.oneof(documented, fc.constant(known));
  const json = (of: fc.Arbitrary<unknown>) => of.map((made) => ({ kind: "json" as const, value: made }));
  return fc.oneof(
    { weight: 3, arbitrary: json(value) },
    { weight: 4, arbitrary: json(fc.tuple(value, CHANGE).map(([whole, change]) => changed(whole, change))) },
    { weight: 1, arbitrary: json(ODD_VALUE) },
    { weight: 1, arbitrary: ODD_TEXT.map((text) => ({ kind: "text" as const, text })) },
    { weight: 1, arbitrary: fc.constant({ kind: "none" as const }) },
  );
}

function anyParameter({ name, required, schema }: Parameter): fc.Arbitrary<string[]> {
  const known = KNOWN_VALUES[name];
  const text = (of: fc.Arbitrary<unknown>) =>
    of.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  const usual = known ? fc.constantFrom(...known) : text(valuesOf(schema));
  const given = mostly(usual, text(ODD_VALUE)).map((value) => [`${name}=${encode(value)}`]);
  const absent = fc.constant<string[]>([]);
  return required ? mostly(given, absent) : fc.oneof(given, absent);
}

/** As the schema has it. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf));
  const make = BY_TYPE[schema.type ?? ""];
  return make ? make(schema) : ODD_VALUE;
}

const BY_TYPE: Record<string, (schema: Schema) => fc.Arbitrary<unknown>> = {
  string: stringOf,
  integer: ({ minimum = -1e9, maximum = 1e9 }) => fc.integer({ min: minimum, max: maximum }),
  number: () => fc.double({ noNaN: true, noDefaultInfinity: true }),
  boolean: () => fc.boolean(),
  null: () => fc.constant(null),
  array: ({ items = {}, minItems = 0, maxItems = 4 }) =>
    fc.array(valuesOf(items), { minLength: minItems, maxLength: Math.min(maxItems, 4) }),
  object: objectOf,
};

function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const parts = Object.entries(properties).map(([name, schema]) => {
    const known = KNOWN_VALUES[name];
    return [name, known && schema.type === "string" ? fc.constantFrom(...known) : valuesOf(schema)] as const;
  });
  return fc.record(Object.fromEntries(parts), {
    requiredKeys: required.filter((name) => name in properties),
    noNullPrototype: true,
  });
}

function stringOf({ format, minLength = 0, maxLength = 300 }: Schema): fc.Arbitrary<string> {
  const at = fc.date({ min: new Date("1970-01-02"), max: new Date("2099-12-30"), noInvalidDate: true });
  if (format === "date") return at.map((date) => date.toISOString().slice(0, 10));
  if (format === "date-time") return at.map((date) => date.toISOString());
  return fc.string({ unit: "binary", minLength, maxLength: Math.min(maxLength, 40) });
}

const ODD_VALUE: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    ...["", " ", "\u0000", "\ud800", "x".repeat(6_000), "ü".repeat(300), "$formId", "$webhookId", "true", "1e2"],
    ...[-1, 0, 1.5, 2 ** 53, 1e300, null, true, [], {}, [[]], [null], { $ref: "#" }, Array(300).fill({})],
    ...["2026-02-30", "9999-12-31", "0000-01-01", "2026-01-01T00:00:00", "1969-12-31T23:59:60Z"],
    JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}'),
  ),
);
const ODD_TEXT = fc.constantFrom(
  ...[
    "",
    " ",
    "null",
    "{",
    "[",
    "]",
    '"',
    "{}{}",
    "\u0000",
    "\ufeff{}",
    "{'a':1}",
    '{"a":1e400}',
    '{"a":NaN}',
    "a=b&c",
  ],
  ...["[".repeat(10_000), `${'{"a":'.repeat(40)}1${"}".repeat(40)}`, '{"title":"a","title":"b"}', "\ud800"],
  `{"title":"${"x".repeat(1_100_000)}"}`,
);
const ODD_SEGMENT = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 40 }).map(encode),
  fc.constantFrom(
    "%00",
    "%ff",
    "%",
    "%zz",
    "..",
    "%2e%2e",
    "%2F",
    "a".repeat(200),
    "$webhookId",
    "$formId",
    "null",
    ";",
    "*",
  ),
);
const ODD_QUERY = fc.constantFrom<string[]>(
  ["no_such=1"],
  ["&&=&"],
  ["%ff=%ff"],
  ["limit=1", "limit=2"],
  ["page=1", "page=2"],
  ["__proto__=1", "page[]=1"],
  [`x=${"y".repeat(7_000)}`],
);
const ODD_TYPE = fc
  .constantFrom(
    ...[
      "text/plain",
      "application/xml",
      "application/x-ndjson",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
    ],
    ...["application/json; charset=utf-16", "application/json;", "", "json", "a".repeat(500)],
  )
  .map((type) => ({ "content-type": type }));
const ODD_ACCEPT = fc
  .constantFrom("text/html", "application/json", "*/*", "image/png", "")
  .map((accept) => ({ accept }));
const ODD_KEY = fc.constantFrom("one", "two", "", "k".repeat(255), "k".repeat(256)).map((key) => ({
  "idempotency-key": key,
}));

interface Change {
  spot: number;
  how: "replace" | "remove" | "add" | "repeat";
  odd: unknown;
}

const CHANGE: fc.Arbitrary<Change> = fc.record({
  spot: fc.nat(1_000),
  how: fc.constantFrom("replace", "remove", "add", "repeat"),
  odd: ODD_VALUE,
});

/** A copy with one of its values changed. */
function changed(whole: unknown, { spot, how, odd }: Change): unknown {
  const copy = structuredClone(whole);
  const spots = findSpots(copy);
  const found = spots[spot % Math.max(1, spots.length)];
  if (found === undefined) return odd;
  const [holder, key] = found;
  if (how === "replace") holder[key] = odd;
  else if (how === "add") holder[`${key}x`] = odd;
  else if (how === "repeat" && Array.isArray(holder[key])) holder[key] = Array(300).fill(holder[key]).flat();
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  return copy;
}

function findSpots(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [
    [holder, key] as [Record<string, unknown>, string],
    ...findSpots(holder[key]),
  ]);
}

function mostly<T, U>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

function of({ parameters }: Operation, place: Parameter["in"]): Parameter[] {
  return parameters.filter((one) => one.in === place);
}

/** `$name` of the fixture stays readable; a lone surrogate has no encoding. */
function encode(text: string): string {
  return text.startsWith("$") ? text : encodeURIComponent(text.toWellFormed());
}
