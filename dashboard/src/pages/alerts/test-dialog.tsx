import { type Alert, type TestResult, useAlertWrite } from "../../api/alerts.ts";
import { Icon } from "../../ui/icon.tsx";
import { ActDialog } from "../../ui/telling/act-dialog.tsx";
import { testText } from "../../ui/telling/reasons.ts";

/** A sample to every recipient, and what each of them answered. */
export function TestDialog({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const test = useAlertWrite<TestResult>(() => ({ method: "POST", path: `/v0/alerts/${alert.id}/test`, body: {} }));
  return (
    <ActDialog
      {...{
        title: `Test ${alert.name}`,
        act: "Send a test",
        acting: "Sending…",
        leave: "Close",
        change: test,
        onClose,
      }}
    >
      <p>A message with invented contents goes to its recipients now, signed as the real ones are.</p>
      <div role="status">
        {test.data ? (
          <ul className="telling-lines alert-results">
            {test.data.results.map((result, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two targets may be hidden alike, and the list never changes.
              <li key={at} className={result.ok ? "telling-good" : "telling-bad"}>
                <Icon name={result.ok ? "check" : "warning"} /> <code>{result.url}</code> {testText(result)}
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </ActDialog>
  );
}
