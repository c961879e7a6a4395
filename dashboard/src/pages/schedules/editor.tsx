import { useState } from "react";
import { SCHEDULE_LIMITS } from "../../../../src/contract/schedule-limits.ts";
import { useBoards } from "../../api/boards.ts";
import {
  SCHEDULES_PATH,
  type Schedule,
  type ScheduleDraft,
  schedulePath,
  useScheduleWrite,
} from "../../api/schedules.ts";
import { useSession } from "../../api/session.ts";
import { hourText, WEEKDAYS } from "../../format/schedule-words.ts";
import { listZones } from "../../format/zone.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { Segmented } from "../../ui/segmented.tsx";
import { EditorFrame, EditorPart } from "../../ui/telling/editor-frame.tsx";
import { type Draft, draftOf, savedOf } from "./draft.ts";
import { Recipients } from "./recipients.tsx";

interface EditorProps {
  schedule: Schedule | undefined;
  /** The board that a new one is about; empty for the project. */
  board: string;
  onClose: () => void;
}

const EVERY = [
  { value: "week", label: "Every week" },
  { value: "month", label: "Every month" },
] as const;

/** Makes or changes a scheduled report. */
export function Editor({ schedule, board, onClose }: EditorProps) {
  const { project } = useView();
  const session = useSession();
  const set = useSetSearch();
  const [draft, setDraft] = useState(() => draftOf(schedule, { board, timezone: session.project?.timezone ?? "UTC" }));
  const change = (to: Partial<Draft>) => setDraft({ ...draft, ...to });
  const save = useScheduleWrite<Schedule, ScheduleDraft>(
    (body) =>
      schedule === undefined
        ? { method: "POST", path: SCHEDULES_PATH, body: { ...body, project_id: project } }
        : { method: "PATCH", path: schedulePath(schedule.id), body },
    ({ id }) => set({ edit: undefined, about: undefined, schedule: id }),
  );
  return (
    <EditorFrame
      title={schedule === undefined ? "New scheduled report" : `Edit ${schedule.title}`}
      about="It is about days that are over, so that its numbers stay."
      submit={schedule === undefined ? "Schedule it" : "Save"}
      save={save}
      onSave={() => save.mutate(savedOf(draft))}
      onClose={onClose}
    >
      <EditorPart title="What it is about">
        <div className="field">
          <label htmlFor="schedule-title">Title</label>
          <input
            id="schedule-title"
            value={draft.title}
            maxLength={SCHEDULE_LIMITS.titleChars}
            required
            placeholder="Weekly numbers"
            onChange={({ target }) => change({ title: target.value })}
          />
        </div>
        <BoardChoice board={draft.board} onChange={(chosen) => change({ board: chosen })} />
      </EditorPart>
      <EditorPart title="When it comes">
        <Segmented label="How often" options={EVERY} value={draft.every} onChange={(every) => change({ every })} />
        <When draft={draft} onChange={change} />
      </EditorPart>
      <EditorPart title="Whom it goes to">
        <Recipients targets={draft.targets} onChange={(targets) => change({ targets })} />
      </EditorPart>
    </EditorFrame>
  );
}

function BoardChoice({ board, onChange }: { board: string; onChange: (board: string) => void }) {
  const { project } = useView();
  const boards = useBoards(project).data?.data ?? [];
  const isListed = board === "" || boards.some(({ id }) => id === board);
  return (
    <div className="field">
      <label htmlFor="schedule-board">About</label>
      <select id="schedule-board" value={board} onChange={({ target }) => onChange(target.value)}>
        <option value="">The project: its figures with their change</option>
        {boards.map(({ id, title }) => (
          <option key={id} value={id}>
            The board {title}
          </option>
        ))}
        {isListed ? null : <option value={board}>A board</option>}
      </select>
    </div>
  );
}

function When({ draft, onChange }: { draft: Draft; onChange: (to: Partial<Draft>) => void }) {
  return (
    <div className="telling-fields">
      {draft.every === "week" ? (
        <div className="field">
          <label htmlFor="schedule-weekday">Day</label>
          <select
            id="schedule-weekday"
            value={draft.weekday}
            onChange={({ target }) => onChange({ weekday: Number(target.value) })}
          >
            {WEEKDAYS.map((name, nth) => (
              <option key={name} value={nth + 1}>
                {name}
              </option>
            ))}
          </select>
        </div>
      ) : null}
      <div className="field">
        <label htmlFor="schedule-hour">Time</label>
        <select
          id="schedule-hour"
          value={draft.hour}
          onChange={({ target }) => onChange({ hour: Number(target.value) })}
        >
          {Array.from({ length: 24 }, (_, hour) => hour).map((hour) => (
            <option key={hour} value={hour}>
              {hourText(hour)}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor="schedule-zone">Time zone</label>
        <input
          id="schedule-zone"
          list="schedule-zones"
          value={draft.timezone}
          maxLength={64}
          autoComplete="off"
          required
          onChange={({ target }) => onChange({ timezone: target.value })}
        />
        <datalist id="schedule-zones">
          {listZones().map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
      <p className="note telling-wide">
        {draft.every === "week"
          ? "The seven days before that day, and how they differ from the seven before them."
          : "On the first: the month before, and how it differs from the one before it."}
      </p>
    </div>
  );
}
