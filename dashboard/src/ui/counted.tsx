import { DEFINITIONS, type DefinitionName } from "../format/definitions.ts";
import { Dialog } from "./dialog.tsx";

/** "How is this counted?" */
export function Counted({ title, name, onClose }: { title: string; name: DefinitionName; onClose: () => void }) {
  const { text } = DEFINITIONS[name];
  return (
    <Dialog title={title} onClose={onClose}>
      {text.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <p className="note">
        All days are UTC days. The full text is docs/metrics-definitions.md in the source of this Sextant.
      </p>
    </Dialog>
  );
}
