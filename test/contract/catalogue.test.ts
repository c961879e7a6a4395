import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { EVENT_KIND_NAMES } from "../../src/contract/event-kinds.ts";
import { FIELD_NAMES } from "../../src/contract/filter-fields.ts";
import { REPORT_CATALOGUE, REPORT_NAMES } from "../../src/contract/reports.ts";
import { REPORTS } from "../../src/query/reports/index.ts";
import { reportsWithOracle } from "../query/compare.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What speaks to clients. The columns of events have the names of some fields, and a list of their own. */
const FOLDERS = ["src/contract", "src/query", "src/routes", "src/http", "src/service", "dashboard/src"];

const SOURCES = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.ts$/.test(file))
    .map((file) => ({ file: `${folder}/${file}`, text: readFileSync(join(ROOT, folder, file), "utf8") })),
);

/** The files that name at least half of these, as texts or as keys. */
function filesThatList(names: readonly string[]): string[] {
  const patterns = names.map((name) => new RegExp(`["'\`]${name}["'\`]|^\\s*${name}[:,]`, "m"));
  const lists = SOURCES.filter(({ text }) => patterns.filter((one) => one.test(text)).length >= names.length / 2);
  return lists.map(({ file }) => file).sort();
}

/** The list itself, and files with another table by the same names, each with its reason. */
const LISTS: readonly { what: string; names: readonly string[]; files: Readonly<Record<string, string>> }[] = [
  {
    what: "the fields of filters",
    names: FIELD_NAMES,
    files: {
      "src/contract/filter-fields.ts": "the list",
      "src/contract/metric-columns.ts": "the columns that reports can group by",
      "src/contract/alert-fields.ts": "the columns of an event and of a wallet that alerts compare",
      "src/query/filters/event-terms.ts": "the columns of one event, for steps",
      "src/query/reports/retention.ts": "the columns of a user, for user_filters",
      "dashboard/src/pages/overview/breakdowns.ts": "the cards of the overview",
    },
  },
  {
    what: "the kinds of events",
    names: EVENT_KIND_NAMES,
    files: {
      "src/contract/event-kinds.ts": "the list",
      "dashboard/src/state/steps.ts": "some kinds, which the compiler compares with the list",
      "dashboard/src/ui/event-row.tsx": "an icon for each, which the compiler compares with the list",
      "dashboard/src/pages/flows/flows.tsx": "a switch over the kinds of steps",
      "dashboard/src/pages/boards/editor-steps.tsx": "some kinds, which the compiler compares with the list",
      "dashboard/src/pages/retention/retention.tsx": "some kinds, which the compiler compares with the list",
    },
  },
  {
    what: "the reports",
    names: REPORT_NAMES,
    files: {
      "src/contract/reports.ts": "the list",
      "src/query/reports/index.ts": "the code of each, which the compiler compares with the list",
      "dashboard/src/pages/boards/report-choices.ts": "what is chosen for some, by names that the compiler knows",
    },
  },
];

describe("the catalogue of what can be asked", () => {
  for (const { what, names, files } of LISTS)
    test(`lists ${what} in one place`, () => assert.deepEqual(filesThatList(names), Object.keys(files).sort()));

  test("has an oracle for every report", () => {
    // The seed is fixed, and the generator with most reports picks one of eight or nine.
    const covered = reportsWithOracle(200);
    assert.deepEqual(
      REPORT_NAMES.filter((name) => !covered.has(name)),
      [],
    );
  });

  test("gives every report one tool name, and none to a former name", () => {
    const tools = REPORT_NAMES.flatMap((name) => REPORT_CATALOGUE[name].tool ?? []);
    assert.equal(new Set(tools).size, tools.length);
    const former = REPORT_NAMES.filter((name) => REPORT_CATALOGUE[name].description.startsWith("The former name of"));
    assert.deepEqual(
      former,
      REPORT_NAMES.filter((name) => REPORT_CATALOGUE[name].tool === null),
    );
    for (const name of REPORT_NAMES) assert.ok(REPORTS[name].plan, name);
  });
});
