/** What the editor offers while somebody types: the columns of the tables in FROM, tables, functions and keywords. */
import { type Completion, type CompletionContext, type CompletionSource, ifNotIn } from "@codemirror/autocomplete";
import type { SqlSchema } from "./schema.ts";

/** One SELECT needs these; the dialects of the package list hundreds that the service refuses. */
export const KEYWORDS =
  "select distinct from join left right full outer inner cross on using where group by having order asc desc limit offset as and or not in is null like ilike between case when then else end with union all except intersect interval second minute hour day week month year over partition rows range preceding following unbounded current row filter nulls first last true false exists cast";

const WORD = /[A-Za-z_]\w*/;
const TABLE = /\b(?:from|join)\s+(\w+)/gi;
const FIRST_TABLE = "events";

export function completeStatement(schema: SqlSchema): CompletionSource {
  const others = [...functions(schema), ...keywords()];
  return ifNotIn(["String", "QuotedIdentifier"], (context: CompletionContext) => {
    const word = context.matchBefore(WORD);
    if (word === null && !context.explicit) return null;
    const from = word?.from ?? context.pos;
    // After `table.` the schema of the tables has the columns.
    if (context.state.sliceDoc(from - 1, from) === ".") return null;
    return { from, options: [...columns(schema, context.state.doc.toString()), ...others], validFor: /^\w*$/ };
  });
}

function functions(schema: SqlSchema): Completion[] {
  return schema.functions.map(({ name, kind, description }) => ({
    label: name,
    type: "function",
    detail: kind,
    info: description,
    apply: `${name}(`,
    boost: -1,
  }));
}

function keywords(): Completion[] {
  return KEYWORDS.split(" ").map((word) => ({ label: word.toUpperCase(), type: "keyword", boost: -2 }));
}

/** Without a FROM yet, the columns of events: most statements read them. */
export function columns(schema: SqlSchema, text: string): Completion[] {
  const columnsOf = new Map(schema.tables.map((table) => [table.name, table.columns]));
  const named = [...text.matchAll(TABLE)].map(([, table = ""]) => table).filter((table) => columnsOf.has(table));
  const shown = new Map<string, Completion>();
  for (const table of named.length > 0 ? named : [FIRST_TABLE]) {
    for (const { name, type, description } of columnsOf.get(table) ?? []) {
      if (!shown.has(name))
        shown.set(name, { label: name, type: "property", detail: type, info: description, boost: 2 });
    }
  }
  return [...shown.values()];
}
