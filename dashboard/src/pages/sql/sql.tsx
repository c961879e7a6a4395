import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { lazy, type RefObject, Suspense, useRef, useState } from "react";
import type { ChartFields } from "../../api/boards.ts";
import { type ApiRequest, call } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { CHARTS } from "../../charts/registry.ts";
import { duration, full } from "../../format/numbers.ts";
import { type RawSearch, text } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { useDownload } from "../../ui/download.ts";
import { Icon } from "../../ui/icon.tsx";
import { RequestDialog } from "../../ui/request-dialog.tsx";
import { Editor } from "../../ui/sql-editor/editor.tsx";
import type { SqlSchema } from "../../ui/sql-editor/schema.ts";
import { Empty, Failure } from "../../ui/states.tsx";
import { EXAMPLES } from "./examples.ts";
import { ResultChart } from "./result-chart.tsx";
import { ResultOptions, readShown, type Shown } from "./result-options.tsx";
import { SavedQueries, SavedTexts } from "./saved-queries.tsx";
import { SchemaList } from "./schema-list.tsx";
import "./sql.css";

const AddChart = lazy(async () => ({ default: (await import("../../panels/add-to-board.tsx")).AddChart }));

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
  const [asked, setAsked] = useState(false);
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
  const run = useRun(request, abort);
  const start = () => {
    if (draft.trim() === "") return;
    set({ q: draft }, { replace: true });
    run.mutate({ project, query: draft });
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
            <SqlBar
              isRunning={run.isPending}
              onRun={start}
              onCancel={() => abort.current?.abort()}
              onRequest={() => setAsked(true)}
            />
            {run.isPending ? (
              <div className="slow-line" role="progressbar" aria-label="Waiting for the answer" />
            ) : null}
          </section>
          <Result run={run} isOwn={run.variables?.project === project} />
        </div>
      </div>
      {asked ? <RequestDialog request={request} onClose={() => setAsked(false)} /> : null}
    </div>
  );
}

interface SqlBarProps {
  isRunning: boolean;
  onRun: () => void;
  onCancel: () => void;
  onRequest: () => void;
}

function SqlBar({ isRunning, onRun, onCancel, onRequest }: SqlBarProps) {
  return (
    <div className="sql-bar">
      {isRunning ? (
        <button type="button" className="button" onClick={onCancel}>
          <Icon name="stop" />
          Cancel
        </button>
      ) : (
        <button type="button" className="button primary" onClick={onRun}>
          <Icon name="play" />
          Run
        </button>
      )}
      <small>Ctrl Enter</small>
      <span className="grow" />
      <button type="button" className="button ghost" onClick={onRequest}>
        <Icon name="terminal" />
        Request
      </button>
    </div>
  );
}

interface Run {
  project: string | undefined;
  query: string;
}

interface RunAnswer extends SqlAnswer {
  seconds: number;
}

/** Runs the query for a project; a run that is still on its way ends. */
function useRun(request: ApiRequest, abort: RefObject<AbortController | undefined>) {
  return useMutation({
    mutationFn: async ({ project: project_id, query }: Run): Promise<RunAnswer> => {
      abort.current?.abort();
      abort.current = new AbortController();
      const started = performance.now();
      const answer = await call<SqlAnswer>({
        ...request,
        query: { project_id },
        body: { query },
        exactIntegers: true,
        signal: abort.current.signal,
      });
      return { ...answer, seconds: (performance.now() - started) / 1000 };
    },
  });
}

/** The statement that was run, drawn as it is shown. */
function draftOf(query: string, { type, columns }: Shown): ChartFields {
  const { x_axis = null, y_axis = null, group_by = null } = columns;
  const layout = type === "number" ? { width: 1, height: 1 } : { width: 2, height: 2 };
  return { chart_type: type, title: "", query, x_axis, y_axis, group_by, settings: { layout } };
}

interface ResultProps {
  run: ReturnType<typeof useRun>;
  /** Rows of another project are not those of this one. */
  isOwn: boolean;
}

function Result({ run, isOwn }: ResultProps) {
  const search = useSearch({ strict: false }) as RawSearch;
  const { workspace } = useSession();
  const [isAdding, setAdding] = useState(false);
  const { csv: download } = useDownload();
  const answer = isOwn ? run.data : undefined;
  const rows = answer?.data ?? [];
  const table = CHARTS.table.table(rows, { look: {}, asked: {}, today: "", nowMs: 0 });
  const shown = readShown(search, rows);
  const cancelled = run.error instanceof DOMException && run.error.name === "AbortError";
  return (
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
          <button
            type="button"
            className="button ghost small"
            disabled={rows.length === 0}
            onClick={() => download("query", table)}
          >
            CSV
          </button>
          {workspace.can.edit ? (
            <button
              type="button"
              className="button ghost small"
              disabled={rows.length === 0}
              onClick={() => setAdding(true)}
            >
              Add to board
            </button>
          ) : null}
        </div>
      </header>
      <div className="panel-body">
        {isOwn && run.error && !cancelled ? <Failure failure={run.error} /> : null}
        {isOwn && cancelled ? <p className="note">Cancelled.</p> : null}
        {run.isIdle || !isOwn ? <p className="note">Run the query to see its rows.</p> : null}
        {answer && rows.length === 0 ? <Empty title="No rows" /> : null}
        {rows.length > 0 ? (
          <>
            <ResultOptions shown={shown} rows={rows} />
            {shown.type === "table" ? (
              <DataTable table={table} label="Result" />
            ) : (
              <ResultChart {...shown} rows={rows} />
            )}
          </>
        ) : null}
      </div>
      {isAdding && run.variables ? (
        <Suspense fallback={null}>
          <AddChart draft={draftOf(run.variables.query, shown)} onClose={() => setAdding(false)} />
        </Suspense>
      ) : null}
    </section>
  );
}
