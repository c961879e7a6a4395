import { Link } from "@tanstack/react-router";
import { type Board, useBoards } from "../../api/boards.ts";
import { type Schedule, schedulePath, useScheduleWrite } from "../../api/schedules.ts";
import { useSession } from "../../api/session.ts";
import { nextText, rhythmText } from "../../format/schedule-words.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { RowTable } from "../../ui/row-table.tsx";
import { ActDialog } from "../../ui/telling/act-dialog.tsx";
import { useDialog } from "../../ui/use-dialog.ts";
import { RecipientList, TestDialog } from "./test-dialog.tsx";

const COLUMNS = ["Title", "About", "Comes", "Next", "To"];

export function ScheduleList({ schedules }: { schedules: readonly Schedule[] }) {
  const { workspace } = useSession();
  const { project } = useView();
  const boards = useBoards(project).data?.data;
  return (
    <section className="panel telling-list schedule-list" aria-label="Scheduled reports">
      <RowTable label="Scheduled reports" columns={COLUMNS} hasActions={workspace.can.edit}>
        {schedules.map((schedule) => (
          <ScheduleRow key={schedule.id} schedule={schedule} boards={boards} />
        ))}
      </RowTable>
    </section>
  );
}

function ScheduleRow({ schedule, boards }: { schedule: Schedule; boards: readonly Board[] | undefined }) {
  const { workspace } = useSession();
  const set = useSetSearch();
  const { id, title, next_at, last_error, recipients } = schedule;
  return (
    <tr>
      <td data-label="Title">
        <button type="button" className="link-button" onClick={() => set({ schedule: id })}>
          {title}
        </button>
      </td>
      <td data-label="About">
        <About board={schedule.board_id} boards={boards} />
      </td>
      <td data-label="Comes">{rhythmText(schedule)}</td>
      <td data-label="Next">
        {next_at === null ? <span className="note">paused</span> : <time dateTime={next_at}>{nextText(schedule)}</time>}
        {last_error === null ? null : <small className="telling-bad">{last_error}</small>}
      </td>
      <td data-label="To">
        {recipients.length === 0 ? <span className="note">nobody</span> : <RecipientList recipients={recipients} />}
      </td>
      {workspace.can.edit ? (
        <td className="row-actions">
          <Actions schedule={schedule} />
        </td>
      ) : null}
    </tr>
  );
}

function About({ board, boards }: { board: string | null; boards: readonly Board[] | undefined }) {
  if (board === null) return "The project";
  const found = boards?.find(({ id }) => id === board);
  if (found === undefined) return boards === undefined ? "A board" : "A board that was deleted";
  return (
    <Link to="/app/boards/board" search={{ board } as never}>
      {found.title}
    </Link>
  );
}

function Actions({ schedule }: { schedule: Schedule }) {
  const set = useSetSearch();
  const { asked, ask, close } = useDialog<"delete" | "test">();
  const patch = useScheduleWrite<Schedule, object>((body) => ({
    method: "PATCH",
    path: schedulePath(schedule.id),
    body,
  }));
  return (
    <>
      <Menu
        trigger={
          <button type="button" className="button ghost square" aria-label={`${schedule.title}: more`}>
            <Icon name="more" />
          </button>
        }
      >
        <MenuItem icon="edit" onSelect={() => set({ edit: schedule.id })}>
          Edit
        </MenuItem>
        <MenuItem icon="play" onSelect={() => ask("test")}>
          Send a test now
        </MenuItem>
        <MenuLine />
        <MenuItem icon={schedule.active ? "pause" : "play"} onSelect={() => patch.mutate({ active: !schedule.active })}>
          {schedule.active ? "Pause" : "Go on"}
        </MenuItem>
        <MenuItem icon="trash" danger onSelect={() => ask("delete")}>
          Delete
        </MenuItem>
      </Menu>
      <FormFailure failure={patch.error} />
      {asked === "test" ? <TestDialog schedule={schedule} onClose={close} /> : null}
      {asked === "delete" ? <DeleteSchedule schedule={schedule} onClose={close} /> : null}
    </>
  );
}

function DeleteSchedule({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const remove = useScheduleWrite<unknown>(() => ({ method: "DELETE", path: schedulePath(schedule.id) }), onClose);
  return (
    <ActDialog
      title={`Delete ${schedule.title}?`}
      {...{ act: "Delete it", isDanger: true, leave: "Keep it", change: remove, onClose }}
    >
      <p>It comes no more, and the list of what was sent goes.</p>
    </ActDialog>
  );
}
