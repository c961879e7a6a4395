import { useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { SegmentChoices } from "../../ui/segment-choices.tsx";

interface CompareSegmentsProps {
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
  onClose: () => void;
}

/** Two to four lines in the place of the one of everybody. */
export function CompareSegments({ chosen, onChoose, onClose }: CompareSegmentsProps) {
  const [ids, setIds] = useState(chosen);
  return (
    <Dialog title="Compare segments" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onChoose(ids);
          onClose();
        }}
      >
        <p>A line for each, within the filters of the page.</p>
        <SegmentChoices chosen={ids} onChange={setIds} />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={ids.length === 1}>
            {ids.length === 0 ? "Compare nothing" : "Compare"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
