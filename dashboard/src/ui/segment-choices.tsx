import { Link } from "@tanstack/react-router";
import { MOST_COMPARED } from "../../../src/contract/segment-names.ts";
import { useSegments } from "../api/segments.ts";
import { useView } from "../state/view.ts";
import { Failure, Skeleton } from "./states.tsx";

interface SegmentChoicesProps {
  /** Ids, in the order in which they were chosen. */
  chosen: readonly string[];
  onChange: (ids: readonly string[]) => void;
}

/** Which segments a chart compares. One that is gone stays in the list, so that it can be left out. */
export function SegmentChoices({ chosen, onChange }: SegmentChoicesProps) {
  const { project } = useView();
  const { data: segments, error, refetch } = useSegments(project);
  if (error) return <Failure failure={error} onRetry={() => void refetch()} />;
  if (segments === undefined) return <Skeleton rows={3} />;
  const gone = chosen.filter((id) => segments.every((segment) => segment.id !== id));
  const all = [...segments, ...gone.map((id) => ({ id, title: `${id}, which does not exist` }))];
  if (all.length === 0) {
    return (
      <p className="note">
        There are no segments yet. Set filters on the <Link to="/app">overview</Link> and save them with “Segments”.
      </p>
    );
  }
  return (
    <fieldset className="editor-numbers segment-choices">
      <legend>Segments, up to {MOST_COMPARED}</legend>
      {all.map(({ id, title }) => {
        const isChosen = chosen.includes(id);
        return (
          <label key={id} className="inline">
            <input
              type="checkbox"
              checked={isChosen}
              disabled={!isChosen && chosen.length >= MOST_COMPARED}
              onChange={() => onChange(isChosen ? chosen.filter((one) => one !== id) : [...chosen, id])}
            />
            {title}
          </label>
        );
      })}
    </fieldset>
  );
}
