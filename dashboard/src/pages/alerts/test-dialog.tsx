import { type Alert, type TestResult, useAlertWrite } from "../../api/alerts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";

const REASONS: Readonly<Record<string, string>> = {
  no_mail_server: "got nothing: the installation has no mail server",
  unconfirmed: "got nothing: its owner has not confirmed the address yet",
  unsubscribed: "got nothing: its owner wants no more of it",
  limited: "got nothing: the workspace has sent as many mails as it may in a day",
  unsaved: "got nothing: it is no recipient of the alert yet",
  address: "got nothing: its address is not public",
};

function testText({ url, ok, status, reason }: TestResult["results"][number]): string {
  const isMail = /^[^\s/]+@[^\s/]+$/.test(url);
  if (status !== null) return isMail ? (ok ? "is mailed" : `was refused with ${status}`) : `answered ${status}`;
  return REASONS[reason ?? ""] ?? (isMail ? "got nothing: the mail server did not answer" : "did not answer");
}

/** A sample to every recipient, and what each of them answered. */
export function TestDialog({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const test = useAlertWrite<TestResult>(() => ({ method: "POST", path: `/v0/alerts/${alert.id}/test`, body: {} }));
  return (
    <Dialog title={`Test ${alert.name}`} onClose={onClose}>
      <p>A message with invented contents goes to its recipients now, signed as the real ones are.</p>
      <div role="status">
        {test.data ? (
          <ul className="alert-results">
            {test.data.results.map((result) => (
              <li key={result.url} className={result.ok ? "alert-good" : "alert-bad"}>
                <Icon name={result.ok ? "check" : "warning"} /> <code>{result.url}</code> {testText(result)}
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
