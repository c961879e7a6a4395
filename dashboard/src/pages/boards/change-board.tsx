import { type Board, boardPath, useBoardWrite } from "../../api/boards.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog, FormFailure } from "../../ui/form.tsx";

export function RenameBoard({ board, onClose }: { board: Board; onClose: () => void }) {
  const save = useBoardWrite<Board, Record<string, string>>(
    ({ title, description }) => ({
      method: "PATCH",
      path: boardPath(board.id),
      body: { title: title?.trim(), description: description?.trim() || null },
    }),
    onClose,
  );
  return (
    <FormDialog
      title="Rename the board"
      submit="Save"
      pending={save.isPending}
      failure={save.error}
      onClose={onClose}
      onSubmit={(texts) => save.mutate(texts)}
    >
      <BoardTexts title={board.title} description={board.description ?? ""} />
    </FormDialog>
  );
}

function BoardTexts({ title = "", description = "" }: { title?: string; description?: string }) {
  return (
    <>
      <label>
        Name
        <input name="title" type="text" defaultValue={title} maxLength={200} required data-autofocus />
      </label>
      <label>
        What it is for (optional)
        <input name="description" type="text" defaultValue={description} maxLength={2000} />
      </label>
    </>
  );
}

interface DeleteBoardProps {
  board: Board;
  onClose: () => void;
  onDeleted: () => void;
}

/** A board goes with its charts only if somebody says so. */
export function DeleteBoard({ board, onClose, onDeleted }: DeleteBoardProps) {
  const { id, title, charts } = board;
  const remove = useBoardWrite<Board>(
    () => ({ method: "DELETE", path: boardPath(id), query: charts > 0 ? { with_charts: true } : {} }),
    onDeleted,
  );
  return (
    <Dialog title={`Delete “${title}”?`} onClose={onClose}>
      <p>
        {charts === 0
          ? "It has no charts. This cannot be undone."
          : `Its ${charts === 1 ? "chart is" : `${charts} charts are`} deleted, too, and this cannot be undone. To keep some, move them to another board first.`}
      </p>
      <FormFailure failure={remove.error} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose} data-autofocus>
          Keep it
        </button>
        <button type="button" className="button danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          {charts === 0
            ? "Delete the board"
            : `Delete the board and ${charts === 1 ? "its chart" : `${charts} charts`}`}
        </button>
      </div>
    </Dialog>
  );
}
