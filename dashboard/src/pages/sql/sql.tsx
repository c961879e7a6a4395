import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { duration, full } from "../../format/numbers.ts";
import { type RawSearch, text } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { useDownload } from "../../ui/download.ts";
import { Icon } from "../../ui/icon.tsx";
import { RequestDialog } from "../../ui/request-dialog.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Empty, Failure } from "../../ui/states.tsx";
import { Editor } from "./editor.tsx";
import { EXAMPLES } from "./examples.ts";
import { chartColumns, ResultChart } from "./result-chart.tsx";
import { SavedQueries, SavedTexts } from "./saved-queries.tsx";
import type { SqlSchema } from "./schema.ts";
import { SchemaList } from "./schema-list.tsx";
import "./sql.css";

interface SqlAnswer {
  data: readonly Readonly<Record<string, unknown>>[];
  total: number;
  limit: number;
  offset: number;
  has_more: boolean;
}

/** Questions that no panel answers. */
export function Sql() {
  const { project } = useView();
  const { workspace } = useSession();
  const set = useSetSearch();
  const search = useSearch({ strict: false }) as RawSearch;
  const [given, setGiven] = useState({ text: text(search.q) ?? EXAMPLES[0].text });
  const [draft, setDraft] = useState(given.text);
  const choose = (chosen: string) => {
    setGiven({ text: chosen });
    setDraft(chosen);
  };
  const [shown, setShown] = useState<"table" | "chart">("table");
  const [asked, setAsked] = useState(false);
  const download = useDownload();
  const abort = useRef<AbortController>(undefined);
  const schema = useQuery({
    queryKey: ["sql-schema"],
    queryFn: ({ signal }) => call<SqlSchema>({ path: "/v0/query/schema", signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const request = {
    method: "POST" as const,
    path: "/v0/query",
    query: { project_id: project },
    body: { query: draft },
  };
  const run = useMutation({
    mutationFn: async (project_id: string | undefined) => {
      abort.current?.abort();
      abort.current = new AbortController();
      const started = performance.now();
      const answer = await call<SqlAnswer>({
        ...request,
        query: { project_id },
        exactIntegers: true,
        signal: abort.current.signal,
      });
      return { ...answer, seconds: (performance.now() - started) / 1000 };
    },
  });
  const start = () => {
    if (draft.trim() === "") return;
    set({ q: draft }, { replace: true });
    run.mutate(project);
  };
  // Rows of another project are not those of this one.
  const isOwn = run.variables === project;
  const answer = isOwn ? run.data : undefined;
  const rows = answer?.data ?? [];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const table = {
    columns: columns.map((key) => ({ key, label: key, isRaw: rows.every((row) => isNumber(row[key])) })),
    rows,
  };
  if (!workspace.can.runSql) {
    return (
      <>
        <h1 className="hidden">SQL</h1>
        <Empty title="Your role does not include SQL" icon="sql">
          An owner or admin of the workspace can make you an editor.
        </Empty>
        <SavedTexts key={project} project={project ?? ""} />
      </>
    );
  }
  const cancelled = run.error instanceof DOMException && run.error.name === "AbortError";
  const chartable = chartColumns(rows) !== undefined;
  return (
    <div className="sql-page">
      <div className="page-head">
        <div>
          <h1>SQL</h1>
          <p>One SELECT over the events of this project. It reads only.</p>
        </div>
      </div>
      <div className="sql-grid">
        <aside className="sql-side">
          <SavedQueries key={project} project={project ?? ""} draft={draft} onChoose={choose} />
          <SchemaList schema={schema.data} failure={schema.error} />
        </aside>
        <div className="sql-main">
          <section className="panel" aria-label="Query">
            <Editor given={given} schema={schema.data} onChange={setDraft} onRun={start} />
            <div className="sql-bar">
              {run.isPending ? (
                <button type="button" className="button" onClick={() => abort.current?.abort()}>
                  <Icon name="stop" />
                  Cancel
                </button>
              ) : (
                <button type="button" className="button primary" onClick={start}>
                  <Icon name="play" />
                  Run
                </button>
              )}
              <small>Ctrl Enter</small>
              <span className="grow" />
              <button type="button" className="button ghost" onClick={() => setAsked(true)}>
                <Icon name="terminal" />
                Request
              </button>
            </div>
            {run.isPending ? (
              <div className="slow-line" role="progressbar" aria-label="Waiting for the answer" />
            ) : null}
          </section>
          <section className="panel" aria-label="Result" aria-busy={run.isPending}>
            <header className="panel-head">
              <h2>
                Result{" "}
                {answer ? (
                  <span className="light">
                    {full(rows.length, "count")} of {full(answer.total, "count")} rows, {duration(answer.seconds)}
                  </span>
                ) : null}
              </h2>
              <div className="panel-actions">
                {chartable ? (
                  <Segmented
                    label="Show as"
                    options={[
                      { value: "table", label: "Table" },
                      { value: "chart", label: "Chart" },
                    ]}
                    value={shown}
                    onChange={setShown}
                  />
                ) : null}
                <button
                  type="button"
                  className="button ghost small"
                  disabled={rows.length === 0}
                  onClick={() => download("query", table)}
                >
                  CSV
                </button>
              </div>
            </header>
            <div className="panel-body">
              {isOwn && run.error && !cancelled ? <Failure failure={run.error} /> : null}
              {isOwn && cancelled ? <p className="note">Cancelled.</p> : null}
              {run.isIdle || !isOwn ? <p className="note">Run the query to see its rows.</p> : null}
              {answer && rows.length === 0 ? <Empty title="No rows" /> : null}
              {rows.length > 0 && shown === "chart" && chartable ? <ResultChart rows={rows} /> : null}
              {rows.length > 0 && (shown === "table" || !chartable) ? <DataTable table={table} label="Result" /> : null}
            </div>
          </section>
        </div>
      </div>
      {asked ? <RequestDialog request={request} onClose={() => setAsked(false)} /> : null}
    </div>
  );
}

/** Large integers come as texts (`exactIntegers`). */
function isNumber(cell: unknown): boolean {
  return cell === null || typeof cell === "number" || (typeof cell === "string" && /^-?\d{16,}$/.test(cell));
}
