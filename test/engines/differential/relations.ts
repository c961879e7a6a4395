/** The FROM of a SELECT: tables, CTEs, subqueries, constants, and joins of two of them. */
import type { Choices } from "./choices.ts";
import { comparableType, generateExpression } from "./expressions.ts";
import { LITERALS } from "./literals.ts";
import { generateSelect } from "./select.ts";
import type { Column, Relation, Scope, Type } from "./types.ts";

export interface From {
  readonly sql: string;
  readonly scope: Scope;
}

const column = (type: Type) => (sql: string) => ({ sql, type });

/** Few columns of each: a statement of fewer columns takes ClickHouse less time. */
const TABLES: readonly Relation[] = [
  {
    name: "events",
    unique: "message_id",
    isTable: true,
    columns: [
      ...["event", "user_id", "address", "utm_campaign", "type", "page_path", "page_url", "properties"].map(
        column("text"),
      ),
      ...["volume", "revenue", "points"].map(column("float")),
      ...["timestamp", "received_at"].map(column("time")),
    ],
  },
  {
    name: "users",
    unique: "address",
    isTable: true,
    columns: [
      ...["address", "last_event"].map(column("text")),
      ...["first_seen", "last_seen"].map(column("time")),
      ...["volume", "points"].map(column("float")),
      ...["num_sessions"].map(column("int")),
    ],
  },
  {
    name: "revenue",
    isTable: true,
    columns: [
      ...["event", "chain_id", "location"].map(column("text")),
      ...["date"].map(column("date")),
      ...["volume", "revenue"].map(column("float")),
    ],
  },
];

/** `outer` holds the relations that are already defined. */
export function generateFrom(choices: Choices, outer: readonly Relation[], depth: number, prefix: string): From {
  const left = generateRelation(choices, outer, depth, { alias: "t0", prefix: `${prefix}a` });
  const { relation } = left;
  if (depth <= 0 || !choices.chance(35)) {
    const table = choices.chance(30) ? "t0." : "";
    const columns = relation.columns.map(({ sql, type }) => ({ sql: table + sql, type }));
    const unique = relation.unique === undefined ? undefined : table + relation.unique;
    return { sql: left.sql, scope: { columns, unique, relations: outer } };
  }
  return generateJoin(choices, outer, left, depth, { alias: "t1", prefix: `${prefix}b` });
}

interface Named {
  readonly sql: string;
  readonly relation: Relation;
}

interface Names {
  readonly alias: string;
  /** Of the names of its columns. */
  readonly prefix: string;
}

function generateRelation(choices: Choices, outer: readonly Relation[], depth: number, names: Names): Named {
  const { alias, prefix } = names;
  const kind = choices.pick(10);
  // An event table takes ClickHouse twice the time of constants.
  if (kind < 4) return constants(choices, names);
  if (kind < 6 && outer.length > 0) {
    const relation = choices.oneOf(outer);
    return { sql: `${relation.name} AS ${alias}`, relation };
  }
  if (kind === 6 && depth > 0) {
    const types = Array.from({ length: 1 + choices.pick(3) }, () => comparableType(choices));
    const made = generateSelect(choices, outer, { types, prefix, depth: depth - 1, hasUnique: true });
    return { sql: `(${made.sql}) AS ${alias}`, relation: made.relation };
  }
  const table = choices.oneOf([TABLES[0], TABLES[0], TABLES[0], TABLES[1], TABLES[2]]) as Relation;
  return { sql: `${table.name} AS ${alias}`, relation: table };
}

/** Three rows with a NULL. */
function constants(choices: Choices, { alias, prefix }: Names): Named {
  const types: readonly Type[] = ["int", "text"];
  const values = (type: Type) => [choices.oneOf(LITERALS[type]), choices.oneOf(LITERALS[type]), "NULL"];
  const lists = types.map(values);
  const rows = ["x", "y", "z"].map((key, at) => {
    const items = lists.map((list, n) => `${list[at]}${at === 0 ? ` AS ${prefix}${n}` : ""}`);
    return `SELECT '${key}'${at === 0 ? ` AS ${prefix}k` : ""}, ${items.join(", ")}`;
  });
  const columns = types.map((type, n) => ({ sql: `${prefix}${n}`, type }));
  return { sql: `(${rows.join(" UNION ALL ")}) AS ${alias}`, relation: { name: "", columns, unique: `${prefix}k` } };
}

const JOINS = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN", "CROSS JOIN", ","] as const;

function generateJoin(choices: Choices, outer: readonly Relation[], left: Named, depth: number, names: Names): From {
  const kind = choices.oneOf(JOINS);
  // All pairs of 72 events would take ClickHouse most of the time of a run.
  const isCross = kind === "CROSS JOIN" || kind === ",";
  const right = isCross ? constants(choices, names) : generateRelation(choices, outer, depth - 1, names);
  const of = (alias: string, { columns }: Relation): Column[] =>
    columns.map(({ sql, type }) => ({ sql: `${alias}.${sql}`, type }));
  const [own, other] = [of("t0", left.relation), of("t1", right.relation)];
  const isFilter = kind === "SEMI JOIN" || kind === "ANTI JOIN";
  const unique = uniqueOf(left.relation.unique, isFilter ? "" : right.relation.unique);
  const scope: Scope = { columns: isFilter ? own : [...own, ...other], unique, relations: outer };
  if (isCross) return { sql: `${left.sql}${kind === "," ? "," : " CROSS JOIN"} ${right.sql}`, scope };
  const shared = left.relation.columns.find(({ sql, type }) =>
    right.relation.columns.some((each) => each.sql === sql && each.type === type && type !== "real"),
  );
  if (shared !== undefined && choices.chance(30)) {
    const columns = [...scope.columns.filter(({ sql }) => !sql.endsWith(`.${shared.sql}`)), shared];
    return { sql: `${left.sql} ${kind} ${right.sql} USING (${shared.sql})`, scope: { ...scope, columns } };
  }
  const pairs = own.flatMap((one) =>
    other.filter(({ type }) => type === one.type && type !== "real").map(({ sql }) => `${one.sql} = ${sql}`),
  );
  const equal = pairs.length === 0 ? `${textOf(own[0])} = ${textOf(other[0])}` : choices.oneOf(pairs);
  const also = choices.chance(25)
    ? ` AND ${generateExpression(choices, { columns: [...own, ...other], relations: [] }, "bool", 1)}`
    : "";
  return { sql: `${left.sql} ${kind} ${right.sql} ON ${equal}${also}`, scope };
}

/** Of a float only the whole part, and of a time the day: engines write the rest differently. */
function textOf(column: Column | undefined): string {
  const { sql = "''", type = "text" } = column ?? {};
  if (type === "float" || type === "real") return `toString(toInt64(${sql}))`;
  return type === "time" ? `toString(toDate(${sql}))` : `toString(${sql})`;
}

/** A row of a join is known by its two rows, one of which may be missing. `""`: the right one does not matter. */
function uniqueOf(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return undefined;
  if (right === "") return `t0.${left}`;
  return `concat(coalesce(t0.${left}, ''), '/', coalesce(t1.${right}, ''))`;
}
