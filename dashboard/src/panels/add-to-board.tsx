import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Board, boardPath, type ChartFields, type SavedChart, useBoards, useBoardWrite } from "../api/boards.ts";
import type { ApiRequest } from "../api/client.ts";
import type { DrawnSpec } from "../charts/registry.ts";
import { useView } from "../state/view.ts";
import { Dialog } from "../ui/dialog.tsx";
import { FormDialog } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Failure, Skeleton } from "../ui/states.tsx";
import { boardDraft } from "./board-draft.ts";

interface AddToBoardProps {
  spec: DrawnSpec;
  request: ApiRequest | readonly ApiRequest[];
  onClose: () => void;
}

/** A chart of a page, with its filters and its look. */
export function AddToBoard({ spec, request, onClose }: AddToBoardProps) {
  return <AddChart draft={boardDraft(spec, request)} onClose={onClose} />;
}

const NEW = "";

/** Saves a chart on a board of the project, or on a new one, and leads there. */
export function AddChart({ draft, onClose }: { draft: ChartFields; onClose: () => void }) {
  const { project } = useView();
  const boards = useBoards(project);
  const [added, setAdded] = useState<{ board: string; title: string }>();
  const [chosen, setChosen] = useState<string>();
  const save = useSave(project, ({ board, name }) => {
    const known = boards.data?.data.find(({ id }) => id === board);
    setAdded({ board, title: known?.title ?? name });
  });
  if (added !== undefined) return <Added {...added} chart={save.variables?.title ?? draft.title} onClose={onClose} />;
  if (boards.error || boards.isPending) {
    return (
      <Dialog title="Add to board" onClose={onClose}>
        {boards.error ? (
          <Failure failure={boards.error} onRetry={() => void boards.refetch()} />
        ) : (
          <Skeleton rows={3} />
        )}
      </Dialog>
    );
  }
  const list = boards.data.data;
  const board = chosen ?? list[0]?.id ?? NEW;
  return (
    <FormDialog
      title="Add to board"
      submit="Add"
      pending={save.isPending}
      failure={save.error}
      onClose={onClose}
      onSubmit={({ title = "", name = "" }) => save.mutate({ ...draft, title: title.trim(), board, name: name.trim() })}
    >
      <p>The board keeps the question, its filters and its look. The days are those of the board.</p>
      <label>
        Title
        <input name="title" type="text" defaultValue={draft.title} maxLength={200} required data-autofocus />
      </label>
      <label>
        Board
        <select value={board} onChange={({ target }) => setChosen(target.value)}>
          {list.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
          <option value={NEW}>A new board</option>
        </select>
      </label>
      {board === NEW ? (
        <label>
          Name of the new board
          <input name="name" type="text" defaultValue={list.length === 0 ? "My board" : ""} maxLength={200} required />
        </label>
      ) : null}
    </FormDialog>
  );
}

interface Wanted extends ChartFields {
  /** Empty: a new one. */
  board: string;
  name: string;
}

function useSave(project: string | undefined, onDone: (added: { board: string; name: string }) => void) {
  // A board that was made for a chart which was then refused is used again.
  const [made, setMade] = useState<Board>();
  const chart = useBoardWrite<SavedChart, Wanted>(
    (wanted) => {
      const { board, name: _, ...draft } = wanted;
      return { method: "POST", path: `${boardPath(board)}/charts`, body: draft };
    },
    ({ board_id }, { name }) => onDone({ board: board_id, name }),
  );
  const board = useBoardWrite<Board, Wanted>(
    ({ name }) => ({ method: "POST", path: "/v0/boards", body: { title: name, project_id: project } }),
    (created, wanted) => {
      setMade(created);
      chart.mutate({ ...wanted, board: created.id });
    },
  );
  return {
    isPending: board.isPending || chart.isPending,
    error: board.error ?? chart.error,
    variables: chart.variables,
    mutate(wanted: Wanted) {
      const target = wanted.board || made?.id;
      if (target) chart.mutate({ ...wanted, board: target });
      else board.mutate(wanted);
    },
  };
}

function Added({ board, title, chart, onClose }: { board: string; title: string; chart: string; onClose: () => void }) {
  return (
    <Dialog title="Added" onClose={onClose}>
      <p role="status">
        “{chart}” is on the board “{title}”, after its other charts.
      </p>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          Stay here
        </button>
        <Link to="/app/boards/board" search={{ board } as never} className="button primary" data-autofocus>
          <Icon name="boards" /> Open the board
        </Link>
      </div>
    </Dialog>
  );
}
