import { serviceUrl } from "../api/client.ts";
import { DEFINITIONS, type DefinitionName } from "../format/definitions.ts";
import { zoneName } from "../format/zone.ts";
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
        Days are those of {zoneName()}.{" "}
        <a href={serviceUrl("/docs/guides/metrics-definitions").href} target="_blank" rel="noopener">
          How everything is counted
        </a>
      </p>
    </Dialog>
  );
}
