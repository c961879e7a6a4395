/** Dialogs of segments: loaded when one opens. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { PEOPLE_LIMITS } from "../../../src/contract/people.ts";
import { SEGMENT_TITLE_CHARS } from "../../../src/contract/segment-names.ts";
import { RequestFailed } from "../api/failure.ts";
import { type Segment, segmentPath, useSegmentWrite } from "../api/segments.ts";
import type { Condition } from "../format/condition.ts";
import { uniqueKeys } from "../format/unique-keys.ts";
import { type Behaviour, behavioursCondition, FIRST_BEHAVIOUR, isWhole } from "../state/behaviours.ts";
import { type Filter, filtersParameter } from "../state/filters.ts";
import { useView } from "../state/view.ts";
import { Dialog } from "../ui/dialog.tsx";
import { FormDialog, FormFailure } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { useWhileShown } from "../ui/use-while-shown.ts";
import { BehaviourFields } from "./behaviour-fields.tsx";
import { conditionWords } from "./condition-words.ts";
import "./segments.css";

interface NewSegmentProps {
  filters: readonly Filter[];
  /** The chosen segment: what is seen is what is saved. */
  within: Segment | undefined;
  byPeople: boolean;
  onClose: () => void;
  onMade: (segment: Segment) => void;
}

/** Keeps the filters of the page, and people by what they did. */
export function NewSegment({ filters, within, byPeople, onClose, onMade }: NewSegmentProps) {
  const { project } = useView();
  const [behaviours, setBehaviours] = useState<readonly Behaviour[]>(byPeople ? [FIRST_BEHAVIOUR] : []);
  const own = JSON.parse(filtersParameter(filters) ?? "[]") as Condition[];
  const kept = [...(within?.filters ?? []), ...own];
  const choose = useWhileShown(onMade);
  const save = useSegmentWrite<Segment, string>(
    (title) => {
      const conditions = behaviours.length === 0 ? kept : [...kept, behavioursCondition(behaviours)];
      return { method: "POST", path: "/v0/segments", body: { title, filters: conditions, project_id: project } };
    },
    (made) => {
      choose(made);
      onClose();
    },
  );
  const put = (at: number, behaviour: Behaviour) =>
    setBehaviours(behaviours.map((known, index) => (index === at ? behaviour : known)));
  const isReady = behaviours.every(isWhole) && kept.length + behaviours.length > 0;
  return (
    <FormDialog
      title={byPeople ? "New segment" : "Save filters as a segment"}
      submit="Save the segment"
      pending={save.isPending || !isReady}
      failure={save.error}
      onClose={onClose}
      onSubmit={({ title = "" }) => save.mutate(title.trim())}
    >
      <label>
        Title
        <input
          name="title"
          type="text"
          maxLength={SEGMENT_TITLE_CHARS}
          placeholder="Who is in it"
          required
          data-autofocus
        />
      </label>
      {kept.length === 0 ? null : <ConditionList conditions={kept} />}
      <fieldset className="behaviours">
        <legend>People who</legend>
        {behaviours.map((behaviour, at) => (
          <BehaviourFields
            // biome-ignore lint/suspicious/noArrayIndexKey: two may be the same, and none moves.
            key={at}
            nth={at + 1}
            behaviour={behaviour}
            onChange={(changed) => put(at, changed)}
            onRemove={() => setBehaviours(behaviours.filter((_, index) => index !== at))}
          />
        ))}
        {behaviours.length < PEOPLE_LIMITS.behaviours ? (
          <button
            type="button"
            className="button small"
            onClick={() => setBehaviours([...behaviours, FIRST_BEHAVIOUR])}
          >
            <Icon name="plus" /> {behaviours.length === 0 ? "did something" : "and did something else"}
          </button>
        ) : null}
      </fieldset>
    </FormDialog>
  );
}

function ConditionList({ conditions }: { conditions: readonly Condition[] }) {
  const texts = conditions.map(conditionWords);
  const keys = uniqueKeys(texts);
  return (
    <ul className="segment-conditions" aria-label="Conditions">
      {texts.map((text, index) => (
        <li key={keys[index]}>{text}</li>
      ))}
    </ul>
  );
}

export function SegmentConditions({ segment, onClose }: { segment: Segment; onClose: () => void }) {
  return (
    <Dialog title={segment.title} onClose={onClose}>
      <p>All of this must hold:</p>
      <ConditionList conditions={segment.filters} />
    </Dialog>
  );
}

export function RenameSegment({ segment, onClose }: { segment: Segment; onClose: () => void }) {
  const client = useQueryClient();
  const save = useSegmentWrite<Segment, string>(
    (title) => ({ method: "PATCH", path: segmentPath(segment.id), body: { title } }),
    () => {
      // Charts that compare segments answer with their titles.
      void client.invalidateQueries({ queryKey: ["report"] });
      onClose();
    },
  );
  return (
    <FormDialog
      title="Rename the segment"
      submit="Save"
      pending={save.isPending}
      failure={save.error}
      onClose={onClose}
      onSubmit={({ title = "" }) => save.mutate(title.trim())}
    >
      <label>
        Title
        <input
          name="title"
          type="text"
          defaultValue={segment.title}
          maxLength={SEGMENT_TITLE_CHARS}
          required
          data-autofocus
        />
      </label>
    </FormDialog>
  );
}

interface DeleteSegmentProps {
  segment: Segment;
  onClose: () => void;
  onDeleted: () => void;
}

/** The service refuses to delete one that charts use, and names them: then it is asked again. */
export function DeleteSegment({ segment, onClose, onDeleted }: DeleteSegmentProps) {
  const remove = useSegmentWrite<unknown, boolean>(
    (isForced) => ({ method: "DELETE", path: segmentPath(segment.id), query: isForced ? { force: true } : {} }),
    () => {
      onDeleted();
      onClose();
    },
  );
  const isUsed = remove.error instanceof RequestFailed && remove.error.status === 400;
  return (
    <Dialog title={`Delete “${segment.title}”?`} onClose={onClose}>
      {isUsed ? (
        <p role="alert">{usersText(remove.error)}</p>
      ) : (
        <p>Links to views with this segment show a failure then. This cannot be undone.</p>
      )}
      {isUsed ? null : <FormFailure failure={remove.error} />}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose} data-autofocus>
          Keep it
        </button>
        <button
          type="button"
          className="button danger"
          disabled={remove.isPending}
          onClick={() => remove.mutate(isUsed)}
        >
          {isUsed ? "Delete it all the same" : "Delete the segment"}
        </button>
      </div>
    </Dialog>
  );
}

/** The last words are for scripts. */
function usersText(failure: Error | null): string {
  return `${(failure?.message ?? "").replace(/; force=true.*$/, "")}.`;
}
