import type { SqlSchema } from "../../ui/sql-editor/schema.ts";
import { Failure, Skeleton } from "../../ui/states.tsx";

type Table = SqlSchema["tables"][number];

/** The description of a table that no installation fills. */
const EMPTY = /; no rows(?: yet)?$/;

/** The tables that a query may read, with their columns: first those with rows, the others folded. */
export function SchemaList({ schema, failure }: { schema: SqlSchema | undefined; failure: unknown }) {
  const filled = schema?.tables.filter(({ description }) => !EMPTY.test(description)) ?? [];
  const empty = schema?.tables.filter(({ description }) => EMPTY.test(description)) ?? [];
  return (
    <section className="panel" aria-label="Tables">
      <div className="panel-body">
        <h2>Tables</h2>
        {failure ? <Failure failure={failure} /> : null}
        {!schema && !failure ? <Skeleton /> : null}
        {filled.map((table) => (
          <TableColumns key={table.name} table={table} />
        ))}
        {empty.length > 0 ? (
          <details className="sql-table">
            <summary>{empty.length} tables without rows</summary>
            <p className="note">
              Profiles and labels of wallets are not collected here. The tables exist, so that queries written for them
              run.
            </p>
            {empty.map((table) => (
              <TableColumns key={table.name} table={table} />
            ))}
          </details>
        ) : null}
      </div>
    </section>
  );
}

function TableColumns({ table }: { table: Table }) {
  return (
    <details className="sql-table">
      <summary>{table.name}</summary>
      <p className="note">{table.description}.</p>
      <dl>
        {table.columns.map((column) => (
          <div key={column.name} title={column.description}>
            <dt>{column.name}</dt>
            <dd>{column.type}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
