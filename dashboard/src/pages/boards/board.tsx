import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { type Board, chartPath, type SavedChart, useBoard, useBoardWrite, useCharts } from "../../api/boards.ts";
import { useOutage } from "../../api/outage.ts";
import { useSession } from "../../api/session.ts";
import { useFresh } from "../../api/use-fresh.ts";
import { rangeText } from "../../format/dates.ts";
import { SavedChartPanel } from "../../panels/saved-chart-panel.tsx";
import { useImportedNote } from "../../panels/use-saved-chart.ts";
import { type RawSearch, text } from "../../state/search.ts";
import { useIsInUrl, useSetSearch, useView } from "../../state/view.ts";
import { BotsLine } from "../../ui/bots-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { useDialog } from "../../ui/use-dialog.ts";
import { BoardGrid } from "./board-grid.tsx";
import { DeleteBoard, RenameBoard } from "./change-board.tsx";
import "./boards.css";

const ShareBoard = lazy(async () => ({ default: (await import("./share.tsx")).ShareBoard }));
const ImportedLine = lazy(async () => ({ default: (await import("../../ui/imported.tsx")).ImportedLine }));
const ChartEditor = lazy(async () => ({ default: (await import("./editor.tsx")).ChartEditor }));

/** One board: the URL says which, and which of its charts is edited or fills the screen. */
export function BoardPage() {
  const search = useSearch({ strict: false }) as RawSearch;
  const id = text(search.board);
  if (id === undefined) {
    return (
      <>
        <h1 className="hidden">Board</h1>
        <Empty title="No board is chosen" icon="boards">
          <Link to="/app/boards">All boards</Link>
        </Empty>
      </>
    );
  }
  return <OneBoard key={id} id={id} />;
}

function OneBoard({ id }: { id: string }) {
  const { workspace } = useSession();
  const search = useSearch({ strict: false }) as RawSearch;
  const { project, range, today } = useView();
  const board = useBoard(id);
  const charts = useCharts(id);
  const title = board.data?.title;
  const isOfPage = useProjectOf(board.data);
  useFresh(project, range.to >= today);
  // What is on the page stays: whoever edits a chart goes on.
  useOutage(board);
  useOutage(charts);
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Sextant`;
  }, [title]);
  const failure = (board.data === undefined ? board.error : null) ?? (charts.data === undefined ? charts.error : null);
  if (failure) {
    return (
      <>
        <h1 className="hidden">Board</h1>
        <Failure failure={failure} onRetry={() => void Promise.all([board.refetch(), charts.refetch()])} />
        <p className="note">
          <Link to="/app/boards">All boards</Link>
        </p>
      </>
    );
  }
  if (board.data === undefined || charts.data === undefined || !isOfPage) {
    return (
      <>
        <h1 className="hidden">Board</h1>
        <Skeleton rows={8} />
      </>
    );
  }
  const edited = text(search.edit);
  const chart = charts.data.find((one) => one.id === edited);
  if (workspace.can.edit && (edited === "new" || chart !== undefined)) {
    return (
      <Suspense fallback={<Skeleton rows={8} />}>
        <ChartEditor key={edited} board={board.data} {...(chart ? { chart } : {})} />
      </Suspense>
    );
  }
  return <ShownBoard board={board.data} charts={charts.data} full={text(search.full)} />;
}

/** A link may name another project than that of its board: names, days and money are those of the board's. */
function useProjectOf(board: Board | undefined): boolean {
  const { project, projects } = useSession();
  const set = useSetSearch();
  const owner = projects.find(({ id }) => id === board?.project_id)?.id;
  const isOther = owner !== undefined && owner !== project?.id;
  // Once: whoever chooses another project afterwards leaves this page.
  const wasOwn = useRef(false);
  useEffect(() => {
    if (isOther && !wasOwn.current) set({ project: owner }, { replace: true });
    if (owner !== undefined && !isOther) wasOwn.current = true;
  }, [isOther, owner, set]);
  return !isOther;
}

interface ShownBoardProps {
  board: Board;
  charts: readonly SavedChart[];
  full: string | undefined;
}

function ShownBoard({ board, charts, full }: ShownBoardProps) {
  const { workspace } = useSession();
  const set = useSetSearch();
  const [said, setSaid] = useState("");
  const duplicate = useBoardWrite<string, SavedChart>(
    ({ id }) => ({ method: "POST", path: `${chartPath(board.id, id)}/duplicate` }),
    (_copy, { title }) => setSaid(`${title} was copied. The copy is the last chart.`),
  );
  const copy = (chart: SavedChart) => {
    setSaid("");
    duplicate.mutate(chart);
  };
  const large = charts.find(({ id }) => id === full);
  const imported = useImportedNote(charts);
  return (
    <div className="board-page">
      <header className="page-head">
        <div className="board-title">
          <Link to="/app/boards" className="button ghost square" aria-label="All boards">
            <Icon name="back" />
          </Link>
          <div>
            <h1>{board.title}</h1>
            {board.description ? <p>{board.description}</p> : null}
          </div>
        </div>
        {workspace.can.edit ? <BoardTools board={board} onAdd={() => set({ edit: "new" })} /> : null}
      </header>
      <BotsLine />
      {imported ? (
        <Suspense fallback={null}>
          <ImportedLine note={imported} />
        </Suspense>
      ) : null}
      <FormFailure failure={duplicate.error} />
      <p className="hidden" role="status" aria-live="polite">
        {said}
      </p>
      {charts.length === 0 ? <NoCharts onAdd={() => set({ edit: "new" })} /> : null}
      <BoardGrid
        board={board.id}
        charts={charts}
        onEdit={({ id }) => set({ edit: id })}
        onDuplicate={copy}
        onFull={({ id }) => set({ full: id })}
      />
      {large ? <FullScreen chart={large} onClose={() => set({ full: undefined })} /> : null}
    </div>
  );
}

function BoardTools({ board, onAdd }: { board: Board; onAdd: () => void }) {
  const navigate = useNavigate();
  const isInUrl = useIsInUrl();
  const { asked, ask, close } = useDialog<"rename" | "delete" | "share">();
  const schedule = () => navigate({ to: "/app/schedules", search: { edit: "new", about: board.id } as never });
  return (
    <div className="board-tools">
      <button type="button" className="button primary" onClick={onAdd}>
        <Icon name="plus" /> Add a chart
      </button>
      <button type="button" className="button" onClick={() => ask("share")}>
        <Icon name="link" /> Share
      </button>
      <Menu
        trigger={
          <button type="button" className="button square" aria-label="The board: more">
            <Icon name="more" />
          </button>
        }
      >
        <MenuItem icon="edit" onSelect={() => ask("rename")}>
          Rename
        </MenuItem>
        <MenuItem icon="calendar" onSelect={() => void schedule()}>
          Send it by schedule
        </MenuItem>
        <MenuItem icon="trash" danger onSelect={() => ask("delete")}>
          Delete the board
        </MenuItem>
      </Menu>
      {asked === "share" ? (
        <Suspense>
          <ShareBoard board={board} onClose={close} />
        </Suspense>
      ) : null}
      {asked === "rename" ? <RenameBoard board={board} onClose={close} /> : null}
      {asked === "delete" ? (
        <DeleteBoard
          board={board}
          onClose={close}
          onDeleted={() => {
            if (isInUrl("board", board.id)) void navigate({ to: "/app/boards" });
          }}
        />
      ) : null}
    </div>
  );
}

function NoCharts({ onAdd }: { onAdd: () => void }) {
  const { workspace } = useSession();
  return (
    <div className="panel">
      <Empty title="This board is empty" icon="boards">
        {workspace.can.edit ? (
          <>
            Open the menu of any chart, on the overview, of funnels, retention, flows or SQL, and choose “Add to board”.{" "}
            <button type="button" className="link-button" onClick={onAdd}>
              Or make a chart here
            </button>
          </>
        ) : (
          "An editor of the workspace can add charts."
        )}
      </Empty>
    </div>
  );
}

/** What the head of the dialog and its edges take. */
const AROUND = 190;

function FullScreen({ chart, onClose }: { chart: SavedChart; onClose: () => void }) {
  const { range, today } = useView();
  return (
    <Dialog title={chart.title} onClose={onClose} size="full">
      <div className="board-full">
        <SavedChartPanel
          chart={chart}
          head={<p className="note">{rangeText(range, today)}</p>}
          height={Math.max(240, window.innerHeight - AROUND)}
        />
      </div>
    </Dialog>
  );
}
