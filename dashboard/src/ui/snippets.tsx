import { useState } from "react";
import { useSession } from "../api/session.ts";
import { SNIPPETS } from "../format/snippet-texts.ts";
import { CopyButton } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { Segmented } from "./segmented.tsx";
import { ShownOnce } from "./shown-once.tsx";
import "./snippets.css";
import { ScrollingCode } from "./scroll-region.tsx";

/** The code that connects an app, with this machine's address and the key filled in. */
export function Snippets({ writeKey }: { writeKey: string }) {
  const { urls } = useSession();
  const [name, setName] = useState("html");
  const snippet = SNIPPETS.find((one) => one.name === name) ?? SNIPPETS[0];
  if (snippet === undefined) return null;
  const text = snippet.text({ eventsUrl: urls.events, writeKey });
  return (
    <div className="snippets">
      <Segmented
        label="Kind of app"
        options={SNIPPETS.map((one) => ({ value: one.name, label: one.label }))}
        value={name}
        onChange={setName}
      />
      <ScrollingCode text={text} />
      <div className="snippets-foot">
        <p className="note">{snippet.note}</p>
        <CopyButton text={text}>Copy</CopyButton>
      </div>
    </div>
  );
}

export function ConnectSnippets({ writeKey, onClose }: { writeKey: string; onClose: () => void }) {
  return (
    <Dialog title="New write key" onClose={onClose} wide>
      <p>It may stand in your site's code. It is shown only this once.</p>
      <ShownOnce text={writeKey} />
      <Snippets writeKey={writeKey} />
    </Dialog>
  );
}
