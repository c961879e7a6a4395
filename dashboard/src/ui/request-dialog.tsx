import { type ApiRequest, curlLine } from "../api/client.ts";
import { CopyButton } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { ScrollingCode } from "./scroll-region.tsx";

/** The request behind a chart, so that a script can ask the same. */
export function RequestDialog({
  request,
  onClose,
}: {
  request: ApiRequest | readonly ApiRequest[];
  onClose: () => void;
}) {
  const requests = [request].flat();
  const line = requests.map((one) => curlLine(one)).join("\n\n");
  return (
    <Dialog
      title={requests.length > 1 ? `The ${requests.length} requests behind this` : "The request behind this"}
      onClose={onClose}
      wide
    >
      <p>
        This page uses only the public API. Make a key under Settings, put it into <code>SEXTANT_API_KEY</code>, and a
        script gets the same numbers.
      </p>
      <ScrollingCode text={line} />
      <div className="dialog-actions">
        <CopyButton text={line}>Copy</CopyButton>
      </div>
    </Dialog>
  );
}
