import type { QueryKey } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useCallback, useRef, useState } from "react";
import type { ApiRequest, Query } from "../api/client.ts";
import { isPassing } from "../api/failure.ts";
import { useNear } from "../api/near.tsx";
import { useOutage } from "../api/outage.ts";
import { type ImportedNote, reportOptions } from "../api/reports.ts";
import { DEFINITIONS, type DefinitionName } from "../format/definitions.ts";
import type { TableData } from "../format/table.ts";
import { useView } from "../state/view.ts";
import { Counted } from "./counted.tsx";
import { DataTable } from "./data-table.tsx";
import { useDownload } from "./download.ts";
import { DrawingBoundary } from "./drawing-boundary.tsx";
import { FormFailure } from "./form.tsx";
import { Icon } from "./icon.tsx";
import { Menu, MenuItem } from "./menu.tsx";
import { SlowLine } from "./slow.tsx";
import { Empty, Failure, Skeleton } from "./states.tsx";

const RequestDialog = lazy(async () => ({ default: (await import("./request-dialog.tsx")).RequestDialog }));
const ImportedBadge = lazy(async () => ({ default: (await import("./imported.tsx")).ImportedBadge }));

/** What a panel needs of a query. */
export interface PanelQuery {
  isPending: boolean;
  isFetching: boolean;
  isPlaceholderData: boolean;
  fetchStatus: string;
  error: unknown;
  data?: unknown;
  refetch: () => Promise<unknown>;
  /** Where it is not that of a report. */
  queryKey?: QueryKey;
}

export interface PanelProps {
  title: string;
  /** In the place of the title, for example tabs. */
  head?: ReactNode;
  actions?: ReactNode;
  /** Several where each point of a chart is a request of its own. */
  request: ApiRequest | readonly ApiRequest[];
  query: PanelQuery;
  /** The parameters that the rows answer: while they are old, not those of the request. */
  asked: Query;
  /** The rows as a table and as CSV; undefined before the first answer. Made when it is asked for, as what is below. */
  table: (() => TableData) | undefined;
  /** Where the CSV has more than the table. */
  onDownload?: (() => void) | undefined;
  isEmpty?: () => boolean;
  empty?: ReactNode;
  /** How the rows are drawn: what could not be is tried again with another one. */
  version?: string;
  counted?: DefinitionName;
  skeleton?: ReactNode;
  className?: string;
  /** Further commands of the menu, before and after its own. */
  menuStart?: ReactNode;
  menuEnd?: ReactNode;
  children: ReactNode;
}

/** The frame of every chart and list: loading, failure, nothing to show, table, CSV, the request and its definition. */
export function Panel(props: PanelProps) {
  const { title, head, actions, request, query, onDownload, counted, className } = props;
  const { menuStart, menuEnd, version } = props;
  const [asTable, setAsTable] = useState(false);
  const [open, setOpen] = useState<"request" | "counted">();
  const { watch } = useNear();
  const own = useRef<HTMLElement>(null);
  const keep = useCallback(
    (element: HTMLElement | null) => {
      own.current = element;
      watch?.(element);
    },
    [watch],
  );
  const download = useDownload();
  const [unsaved, setUnsaved] = useState<unknown>();
  const save = async (write: () => unknown) => {
    setUnsaved(undefined);
    try {
      await write();
    } catch (cause) {
      setUnsaved(new Error("The file could not be made.", { cause }));
    }
  };
  const { table: rows } = props;
  const savePicture = async () => {
    const { pictureOf } = await import("./picture.ts");
    if (own.current !== null) download.picture(title, await pictureOf(own.current), props.asked);
  };
  useOutage(query);
  const imported = importedOf(query.data);
  const stale = query.isPlaceholderData || isPassing(query.error);
  // An update of numbers that are shown already is silent.
  const waiting = query.isFetching && (query.isPending || stale || query.error !== null);
  return (
    <section ref={keep} className={`panel ${className ?? ""}`} aria-label={title}>
      <header className="panel-head">
        {head ?? <h2>{title}</h2>}
        {imported ? (
          <Suspense fallback={null}>
            <ImportedBadge note={imported} />
          </Suspense>
        ) : null}
        <div className="panel-actions">
          {actions}
          <Menu
            trigger={
              <button type="button" className="button ghost square" aria-label={`${title}: more`}>
                <Icon name="more" />
              </button>
            }
          >
            {menuStart}
            <MenuItem icon={asTable ? "chart" : "table"} onSelect={() => setAsTable(!asTable)}>
              {asTable ? "Show as chart" : "Show as table"}
            </MenuItem>
            {rows ? (
              <>
                <MenuItem
                  icon="download"
                  onSelect={() => void save(onDownload ?? (() => download.csv(title, rows(), props.asked)))}
                >
                  Download CSV
                </MenuItem>
                <MenuItem icon="picture" onSelect={() => void save(savePicture)}>
                  Download PNG
                </MenuItem>
              </>
            ) : null}
            <MenuItem icon="terminal" onSelect={() => setOpen("request")}>
              Show the request
            </MenuItem>
            {counted ? (
              <MenuItem icon="info" onSelect={() => setOpen("counted")}>
                How is this counted?
              </MenuItem>
            ) : null}
            {menuEnd}
          </Menu>
        </div>
      </header>
      <SlowLine
        active={waiting}
        queryKeys={query.queryKey ? [query.queryKey] : [request].flat().map((one) => reportOptions(one).queryKey)}
      />
      <FormFailure failure={unsaved} />
      <div className={stale ? "panel-body stale" : "panel-body"} aria-busy={waiting}>
        <PanelBody {...props}>
          <DrawingBoundary version={[asTable, version, query.data]}>
            <Answered {...props} asTable={asTable} />
          </DrawingBoundary>
        </PanelBody>
      </div>
      {open === "request" ? (
        <Suspense fallback={null}>
          <RequestDialog request={request} onClose={() => setOpen(undefined)} />
        </Suspense>
      ) : null}
      {open === "counted" && counted ? (
        <Counted title={DEFINITIONS[counted].title} name={counted} onClose={() => setOpen(undefined)} />
      ) : null}
    </section>
  );
}

/** Of an answer, or of the first of several that has it. */
function importedOf(data: unknown): ImportedNote | undefined {
  return [data as { imported?: ImportedNote } | undefined].flat().find((answer) => answer?.imported)?.imported;
}

function Answered({ title, table, isEmpty, empty, asTable, children }: PanelProps & { asTable: boolean }) {
  if (isEmpty?.()) return empty ?? <NothingHere />;
  return asTable && table ? <DataTable table={table()} label={title} /> : children;
}

function PanelBody({ query, skeleton, children }: PanelProps) {
  const { isNear } = useNear();
  // The bar above the page says it for all panels; each shows what it had.
  if (isPassing(query.error)) return query.data === undefined ? (skeleton ?? <Skeleton />) : children;
  if (query.error) return <Failure failure={query.error} onRetry={() => void query.refetch()} />;
  if (query.isPending && query.fetchStatus === "idle" && isNear) {
    return (
      <div className="state">
        <p>Cancelled.</p>
        <button type="button" className="button" onClick={() => void query.refetch()}>
          Ask again
        </button>
      </div>
    );
  }
  if (query.isPending) return skeleton ?? <Skeleton />;
  return children;
}

/** Without any event, another period shows no more. */
export function NothingHere() {
  const { firstDay } = useView();
  if (firstDay !== null) {
    return <Empty title="Nothing in this period">Choose a longer period, or remove a filter.</Empty>;
  }
  return (
    <Empty title="No events yet">
      <Link to="/app/start">Connect your app, or look at demo data</Link>
    </Empty>
  );
}
