import { type Alert, type TestResult, useAlertWrite } from "../../api/alerts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";

/** A sample to every recipient, and what each of them answered. */
export function TestDialog({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const test = useAlertWrite<TestResult>(() => ({ method: "POST", path: `/v0/alerts/${alert.id}/test`, body: {} }));
  return (
    <Dialog title={`Test ${alert.name}`} onClose={onClose}>
      <p>A message with invented contents goes to its recipients now, signed as the real ones are.</p>
      <div role="status">
        {test.data ? (
          <ul className="alert-results">
            {test.data.results.map(({ url, ok, status }) => (
              <li key={url} className={ok ? "alert-good" : "alert-bad"}>
                <Icon name={ok ? "check" : "warning"} /> <code>{url}</code>{" "}
                {status === null ? "did not answer" : `answered ${status}`}
              </li>
            ))}
          </ul>
        ) : null}
      </div>
      <FormFailure failure={test.error} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
        <button type="button" className="button primary" disabled={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? "Sending…" : "Send a test"}
        </button>
      </div>
    </Dialog>
  );
}
