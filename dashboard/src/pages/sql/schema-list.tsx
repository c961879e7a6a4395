import { Failure, Skeleton } from "../../ui/states.tsx";
import type { SqlSchema } from "./schema.ts";

/** The tables that a query may read, with their columns. */
export function SchemaList({ schema, failure }: { schema: SqlSchema | undefined; failure: unknown }) {
  return (
    <section className="panel" aria-label="Tables">
      <div className="panel-body">
        <h2>Tables</h2>
        {failure ? <Failure failure={failure} /> : null}
        {!schema && !failure ? <Skeleton /> : null}
        {schema?.tables.map((table) => (
          <details key={table.name} className="sql-table">
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
        ))}
      </div>
    </section>
  );
}
