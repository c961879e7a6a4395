import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Board, useBoards } from "../../api/boards.ts";
import { useSession } from "../../api/session.ts";
import { agoText } from "../../format/dates.ts";
import { useView } from "../../state/view.ts";
import { Icon } from "../../ui/icon.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { useDialog } from "../../ui/use-dialog.ts";
import { DeleteBoard, RenameBoard } from "./change-board.tsx";
import { NewBoard } from "./new-board.tsx";
import { TemplateCards } from "./templates.tsx";
import "./boards.css";

/** The boards of the project. */
export function Boards() {
  const { project } = useView();
  const { workspace } = useSession();
  const navigate = useNavigate();
  const boards = useBoards(project);
  const [isMaking, setMaking] = useState(false);
  const open = (board: string) => void navigate({ to: "/app/boards/board", search: { board } as never });
  return (
    <>
      <header className="page-head">
        <div>
          <h1>Boards</h1>
          <p>The charts of this project that you want to see again, side by side.</p>
        </div>
        {workspace.can.edit && boards.data?.total !== 0 ? (
          <button type="button" className="button primary" onClick={() => setMaking(true)}>
            <Icon name="plus" /> New board
          </button>
        ) : null}
      </header>
      {boards.error ? <Failure failure={boards.error} onRetry={() => void boards.refetch()} /> : null}
      {boards.isPending ? <Skeleton rows={4} /> : null}
      {boards.data?.total === 0 ? <NoBoards onEmpty={() => setMaking(true)} onMade={open} /> : null}
      <ul className="board-cards">
        {boards.data?.data.map((board) => (
          <BoardCard key={board.id} board={board} onOpen={() => open(board.id)} />
        ))}
      </ul>
      {isMaking ? <NewBoard onClose={() => setMaking(false)} onMade={open} /> : null}
    </>
  );
}

function NoBoards({ onEmpty, onMade }: { onEmpty: () => void; onMade: (board: string) => void }) {
  const { workspace } = useSession();
  if (!workspace.can.edit) {
    return (
      <div className="panel">
        <Empty title="There is no board yet" icon="boards">
          An editor of the workspace can make one; you will see it here.
        </Empty>
      </div>
    );
  }
  return (
    <section className="board-start" aria-label="Start with a template">
      <div className="board-start-head">
        <h2>Start with charts that answer something</h2>
        <p>
          A template is a board that works at once with your events: change, move or delete whatever you do not need.{" "}
          <button type="button" className="link-button" onClick={onEmpty}>
            Or begin with an empty board
          </button>
        </p>
      </div>
      <TemplateCards onMade={onMade} />
      <p className="note">
        Any chart of the other pages can be kept as well: open its menu <Icon name="more" size={14} /> and choose “Add
        to board”.
      </p>
    </section>
  );
}

function BoardCard({ board, onOpen }: { board: Board; onOpen: () => void }) {
  const { workspace } = useSession();
  const { asked, ask, close } = useDialog<"rename" | "delete">();
  const { title, description, charts } = board;
  const changed = Date.parse(board.updated_at ?? board.created_at);
  return (
    <li className="panel board-card">
      <button type="button" className="board-card-open" onClick={onOpen}>
        <span className="board-card-icon">
          <Icon name="boards" size={18} />
        </span>
        <span className="board-card-text">
          <strong>{title}</strong>
          {description ? <span>{description}</span> : null}
          <span className="note">
            {charts === 1 ? "1 chart" : `${charts} charts`}, {board.updated_at === null ? "made" : "changed"}{" "}
            {agoText(changed, Date.now())}
          </span>
        </span>
      </button>
      {workspace.can.edit ? (
        <Menu
          trigger={
            <button type="button" className="button ghost square" aria-label={`${title}: more`}>
              <Icon name="more" />
            </button>
          }
        >
          <MenuItem icon="edit" onSelect={() => ask("rename")}>
            Rename
          </MenuItem>
          <MenuItem icon="trash" danger onSelect={() => ask("delete")}>
            Delete
          </MenuItem>
        </Menu>
      ) : null}
      {asked === "rename" ? <RenameBoard board={board} onClose={close} /> : null}
      {asked === "delete" ? <DeleteBoard board={board} onClose={close} onDeleted={close} /> : null}
    </li>
  );
}
