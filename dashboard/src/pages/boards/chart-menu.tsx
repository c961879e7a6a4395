import { chartPath, type SavedChart, useBoards, useBoardWrite } from "../../api/boards.ts";
import { useView } from "../../state/view.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog, FormFailure } from "../../ui/form.tsx";
import { MenuItem, MenuLine } from "../../ui/menu.tsx";
import { useDialog } from "../../ui/use-dialog.ts";
import { placeOf, resized } from "./arrange.ts";
import type { Arrange } from "./use-arrange.ts";

interface ChartMenuProps {
  chart: SavedChart;
  /** Its place of how many. */
  at: number;
  count: number;
  arrange: Arrange;
  onAsk: (asked: Asked) => void;
}

export type Asked = "move" | "delete" | "edit" | "duplicate" | "full";

/** What is done with a chart: before the commands that every panel has. */
export function ChartMenuStart({ onAsk, canEdit }: { onAsk: (asked: Asked) => void; canEdit: boolean }) {
  return (
    <>
      {canEdit ? (
        <>
          <MenuItem icon="edit" onSelect={() => onAsk("edit")}>
            Edit
          </MenuItem>
          <MenuItem icon="copy" onSelect={() => onAsk("duplicate")}>
            Duplicate
          </MenuItem>
          <MenuLine />
        </>
      ) : null}
      <MenuItem icon="expand" onSelect={() => onAsk("full")}>
        Full screen
      </MenuItem>
    </>
  );
}

export function ChartMenuEnd({ chart, at, count, arrange, onAsk }: ChartMenuProps) {
  const place = placeOf(chart);
  const sizes = [
    { side: "width", by: 1, label: "Wider", hint: "Alt ⇧ →", icon: "wider" },
    { side: "width", by: -1, label: "Narrower", hint: "Alt ⇧ ←", icon: "wider" },
    { side: "height", by: 1, label: "Taller", hint: "Alt ⇧ ↓", icon: "taller" },
    { side: "height", by: -1, label: "Shorter", hint: "Alt ⇧ ↑", icon: "taller" },
  ] as const;
  return (
    <>
      <MenuLine />
      {at > 0 ? (
        <MenuItem icon="left" hint="Alt ←" onSelect={() => arrange.moveTo(chart.id, at - 1)}>
          Move earlier
        </MenuItem>
      ) : null}
      {at < count - 1 ? (
        <MenuItem icon="right" hint="Alt →" onSelect={() => arrange.moveTo(chart.id, at + 1)}>
          Move later
        </MenuItem>
      ) : null}
      {sizes
        .filter(({ side, by }) => resized(place, side, by) !== undefined)
        .map(({ side, by, label, hint, icon }) => (
          <MenuItem key={label} icon={icon} hint={hint} onSelect={() => arrange.resize(chart, side, by)}>
            {label}
          </MenuItem>
        ))}
      <MenuLine />
      <MenuItem icon="boards" onSelect={() => onAsk("move")}>
        Move to another board
      </MenuItem>
      <MenuItem icon="trash" danger onSelect={() => onAsk("delete")}>
        Delete
      </MenuItem>
    </>
  );
}

function MoveChart({ chart, onClose }: { chart: SavedChart; onClose: () => void }) {
  const { project } = useView();
  const boards = useBoards(project);
  const others = boards.data?.data.filter(({ id }) => id !== chart.board_id) ?? [];
  const move = useBoardWrite<SavedChart, string>(
    (targetBoardId) => ({
      method: "PUT",
      path: `${chartPath(chart.board_id, chart.id)}/move`,
      body: { targetBoardId },
    }),
    onClose,
  );
  if (boards.isSuccess && others.length === 0) {
    return (
      <Dialog title="There is no other board" onClose={onClose}>
        <p>Make a second board under Boards, then move the chart there.</p>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={`Move “${chart.title}”`}
      submit="Move"
      pending={move.isPending || others.length === 0}
      failure={move.error ?? boards.error}
      onClose={onClose}
      onSubmit={({ board = "" }) => move.mutate(board)}
    >
      <label>
        To the end of
        <select name="board" data-autofocus>
          {others.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}

function DeleteChart({ chart, onClose }: { chart: SavedChart; onClose: () => void }) {
  const remove = useBoardWrite<void>(() => ({ method: "DELETE", path: chartPath(chart.board_id, chart.id) }), onClose);
  return (
    <Dialog title={`Delete “${chart.title}”?`} onClose={onClose}>
      <p>The chart is deleted, not the events behind it. This cannot be undone.</p>
      <FormFailure failure={remove.error} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose} data-autofocus>
          Keep it
        </button>
        <button type="button" className="button danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Delete the chart
        </button>
      </div>
    </Dialog>
  );
}

/** Which dialog of a chart is open. */
export function useChartDialog() {
  const { asked, ask, close } = useDialog<{ chart: SavedChart; what: "move" | "delete" }>();
  const dialog =
    asked === undefined ? null : asked.what === "move" ? (
      <MoveChart chart={asked.chart} onClose={close} />
    ) : (
      <DeleteChart chart={asked.chart} onClose={close} />
    );
  return { dialog, ask };
}
