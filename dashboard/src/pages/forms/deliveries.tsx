import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { type Delivery, type Page, unwrap, type Webhook } from "../../api/forms.ts";
import { agoText, momentText } from "../../format/dates.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormFailure, formTexts } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";

/** Soon enough to see what a test has come to. */
const LIST_EVERY_MS = 3000;

/** The targets that a form's answers are sent to, and what became of each delivery. */
export function Deliveries({ formId }: { formId: string }) {
  const [adding, setAdding] = useState(false);
  const webhooks = useQuery({
    queryKey: ["webhooks", formId],
    queryFn: ({ signal }) => call<Page<Webhook>>({ path: "/api/webhooks", query: { formId, size: 200 }, signal }),
    refetchInterval: LIST_EVERY_MS,
  });
  return (
    <div className="stack">
      <div className="page-head">
        <p>Every answer is sent to these addresses, signed, and tried again for three days until it is accepted.</p>
        <button type="button" className="button primary" onClick={() => setAdding(true)}>
          <Icon name="plus" /> Add webhook
        </button>
      </div>
      {webhooks.error ? <Failure failure={webhooks.error} onRetry={() => void webhooks.refetch()} /> : null}
      {webhooks.isPending ? <Skeleton rows={3} /> : null}
      {webhooks.data?.total === 0 ? (
        <div className="panel">
          <Empty title="No webhook yet" icon="link">
            Add the address of your own server, Zapier, Make or n8n.
          </Empty>
        </div>
      ) : null}
      {webhooks.data?.data.map((webhook) => (
        <OneWebhook
          key={webhook.webhookId}
          webhook={webhook}
          isOnly={webhooks.data.total === 1}
          nowMs={webhooks.dataUpdatedAt}
        />
      ))}
      {adding ? <AddWebhook formId={formId} onClose={() => setAdding(false)} /> : null}
    </div>
  );
}

function useChange(webhookId?: string) {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: ["webhooks"] });
    if (webhookId !== undefined) await client.invalidateQueries({ queryKey: ["deliveries", webhookId] });
  };
}

function AddWebhook({ formId, onClose }: { formId: string; onClose: () => void }) {
  const changed = useChange();
  const add = useMutation({
    mutationFn: (targetUrl: string) =>
      unwrap<{ webhookId: string; secret?: string }>({
        method: "POST",
        path: "/api/webhooks",
        body: { formId, targetUrl, eventTypes: ["FORM_SUBMISSION", "FORM_UPDATED"] },
      }),
    onSuccess: changed,
  });
  if (add.data) {
    return (
      <Dialog title="Webhook added" onClose={onClose}>
        {add.data.secret === undefined ? (
          <p>There was one for this address already. It keeps its secret.</p>
        ) : (
          <Secret text={add.data.secret} />
        )}
      </Dialog>
    );
  }
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      <form className="stack" onSubmit={(event) => add.mutate(formTexts(event).targetUrl ?? "")}>
        <label>
          Address
          <input name="targetUrl" type="url" placeholder="https://…" required />
        </label>
        <FormFailure failure={add.error} />
        <div className="dialog-actions">
          <button type="submit" className="button primary" disabled={add.isPending}>
            {add.isPending ? "Checking the address…" : "Add it"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Secret({ text }: { text: string }) {
  return (
    <>
      <p>
        Your server checks the signature of each request with this secret (Standard Webhooks). It is shown only now.
      </p>
      <ShownOnce text={text} />
      <div className="dialog-actions">
        <CopyButton text={text}>Copy the secret</CopyButton>
      </div>
    </>
  );
}

const STATUS = { active: "Active", disabled: "Paused", ended: "Ended by the target" } as const;

/** What cannot be taken back is asked first. */
const QUESTIONS = {
  delete: {
    title: "Delete this webhook?",
    text: "Answers are no longer sent to it, and its deliveries can no longer be read or sent again.",
    yes: "Delete it",
  },
  "rotate-secret": {
    title: "Make a new secret?",
    text: "For a day both secrets sign every request. After that your server must know the new one, or it refuses them.",
    yes: "Make a new secret",
  },
} as const;

interface OneWebhookProps {
  webhook: Webhook;
  /** Its log is open. */
  isOnly: boolean;
  nowMs: number;
}

function OneWebhook({ webhook, isOnly, nowMs }: OneWebhookProps) {
  const { webhookId, targetUrl, status, failures, lastSuccessAt, lastFailureAt } = webhook;
  const [open, setOpen] = useState(isOnly);
  const [secret, setSecret] = useState<string>();
  const [asked, setAsked] = useState<keyof typeof QUESTIONS>();
  const changed = useChange(webhookId);
  const act = useMutation({
    mutationFn: (what: "test" | "toggle" | "recover" | "rotate-secret" | "delete") => actOn(webhook, what),
    onSuccess: async (answer, what) => {
      if (what === "rotate-secret") setSecret((answer as { secret: string }).secret);
      await changed();
    },
  });
  return (
    <section className="panel" aria-label={targetUrl}>
      <header className="panel-head webhook-head">
        <button type="button" className="webhook-open" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? "down" : "right"} />
          <strong>{targetUrl}</strong>
          <span className={`badge ${status === "active" && failures === 0 ? "good" : "warn"}`}>
            {status === "active" && failures > 0
              ? `${failures} ${failures === 1 ? "failure" : "failures in a row"}`
              : STATUS[status]}
          </span>
        </button>
        <WebhookActions enabled={webhook.enabled} pending={act.isPending} onAct={act.mutate} onAsk={setAsked} />
      </header>
      <div className="panel-body">
        <p className="note">
          {lastSuccessAt
            ? `Last accepted ${agoText(Date.parse(lastSuccessAt), nowMs)}. `
            : "No delivery was accepted yet. "}
          {lastFailureAt ? `Last failure ${agoText(Date.parse(lastFailureAt), nowMs)}. ` : ""}
          {webhook.disablesAt ? `Will be paused on ${momentText(Date.parse(webhook.disablesAt))}.` : ""}
        </p>
        <FormFailure failure={act.error} />
        {open ? <DeliveryList webhookId={webhookId} /> : null}
      </div>
      {asked ? (
        <Question
          name={asked}
          target={targetUrl}
          onClose={() => setAsked(undefined)}
          onYes={() => {
            setAsked(undefined);
            act.mutate(asked);
          }}
        />
      ) : null}
      {secret ? (
        <Dialog title="New secret" onClose={() => setSecret(undefined)}>
          <Secret text={secret} />
          <p>The old one signs too for a day.</p>
        </Dialog>
      ) : null}
    </section>
  );
}

interface WebhookActionsProps {
  enabled: boolean;
  pending: boolean;
  onAct: (what: "test" | "toggle" | "recover") => void;
  /** Of what cannot be undone. */
  onAsk: (name: keyof typeof QUESTIONS) => void;
}

function WebhookActions({ enabled, pending, onAct, onAsk }: WebhookActionsProps) {
  return (
    <div className="panel-actions">
      <button type="button" className="button small" disabled={pending} onClick={() => onAct("test")}>
        Send a test
      </button>
      <button type="button" className="button small" disabled={pending} onClick={() => onAct("toggle")}>
        {enabled ? "Pause" : "Turn on"}
      </button>
      <button type="button" className="button small" disabled={pending} onClick={() => onAct("recover")}>
        Resend failed
      </button>
      <button type="button" className="button small" disabled={pending} onClick={() => onAsk("rotate-secret")}>
        New secret
      </button>
      <button type="button" className="button small danger" disabled={pending} onClick={() => onAsk("delete")}>
        Delete
      </button>
    </div>
  );
}

interface QuestionProps {
  name: keyof typeof QUESTIONS;
  target: string;
  onClose: () => void;
  onYes: () => void;
}

function Question({ name, target, onClose, onYes }: QuestionProps) {
  return (
    <Dialog title={QUESTIONS[name].title} onClose={onClose}>
      <p className="webhook-target">{target}</p>
      <p>{QUESTIONS[name].text}</p>
      <div className="dialog-actions">
        <button type="button" className="button" data-autofocus onClick={onClose}>
          Keep it
        </button>
        <button type="button" className="button danger" onClick={onYes}>
          {QUESTIONS[name].yes}
        </button>
      </div>
    </Dialog>
  );
}

/** The service keeps failed deliveries for thirty days. */
const KEPT_MS = 30 * 86_400_000;

function actOn({ webhookId, enabled }: Webhook, what: "test" | "toggle" | "recover" | "rotate-secret" | "delete") {
  const path = `/api/webhooks/${webhookId}`;
  if (what === "delete") return unwrap({ method: "DELETE", path });
  if (what === "toggle") return unwrap({ method: "PATCH", path, body: { enabled: !enabled } });
  if (what === "recover") {
    const since = new Date(Date.now() - KEPT_MS + 60_000).toISOString();
    return unwrap({ method: "POST", path: `${path}/recover`, body: { since } });
  }
  return unwrap({ method: "POST", path: `${path}/${what}`, body: {} });
}

function DeliveryList({ webhookId }: { webhookId: string }) {
  const [shown, setShown] = useState<Delivery>();
  const changed = useChange(webhookId);
  const list = useQuery({
    queryKey: ["deliveries", webhookId],
    queryFn: ({ signal }) =>
      call<Page<Delivery>>({ path: `/api/webhooks/${webhookId}/deliveries`, query: { size: 50 }, signal }),
    refetchInterval: 5_000,
  });
  const again = useMutation({
    mutationFn: (deliveryId: string) =>
      unwrap({ method: "POST", path: `/api/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`, body: {} }),
    onSuccess: changed,
  });
  if (list.error) return <Failure failure={list.error} onRetry={() => void list.refetch()} />;
  if (list.isPending) return <Skeleton rows={3} />;
  if (list.data.total === 0) return <Empty title="Nothing was sent yet">Send a test, or answer the form.</Empty>;
  return (
    <>
      <FormFailure failure={again.error} />
      <ScrollRegion label="Deliveries">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Event</th>
              <th scope="col">State</th>
              <th scope="col" className="number">
                Attempts
              </th>
              <th scope="col">Last answer</th>
              <th scope="col">
                <span className="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.data.data.map((delivery) => (
              <tr key={delivery.deliveryId}>
                <td className="nowrap">{momentText(Date.parse(delivery.createdAt))}</td>
                <td>{eventName(delivery)}</td>
                <td>
                  <span className={`badge ${delivery.state === "delivered" ? "good" : "warn"}`}>{delivery.state}</span>
                </td>
                <td className="number">{delivery.attempts.length}</td>
                <td>{lastAnswer(delivery)}</td>
                <td className="nowrap">
                  <button type="button" className="button small" onClick={() => setShown(delivery)}>
                    Details
                  </button>{" "}
                  <button
                    type="button"
                    className="button small"
                    disabled={again.isPending}
                    onClick={() => again.mutate(delivery.deliveryId)}
                  >
                    Resend
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {list.data.has_more ? <p className="note">The 50 newest of {list.data.total}.</p> : null}
      {shown ? <DeliveryDialog webhookId={webhookId} delivery={shown} onClose={() => setShown(undefined)} /> : null}
    </>
  );
}

function eventName({ eventType, isTest }: Delivery): string {
  if (isTest) return "Test";
  return eventType === "FORM_UPDATED" ? "Form changed" : "Answer";
}

function lastAnswer({ attempts, nextAttemptAt }: Delivery): string {
  const last = attempts.at(-1);
  const next = nextAttemptAt ? `next try ${agoText(Date.parse(nextAttemptAt), Date.now())}` : "";
  if (last === undefined) return next;
  return [last.status === null ? (last.reason ?? last.outcome) : `HTTP ${last.status}`, next]
    .filter((part) => part !== "")
    .join(", ");
}

function DeliveryDialog(props: { webhookId: string; delivery: Delivery; onClose: () => void }) {
  const { webhookId, delivery, onClose } = props;
  const whole = useQuery({
    queryKey: ["delivery", delivery.deliveryId],
    queryFn: ({ signal }) =>
      unwrap<Delivery>({ path: `/api/webhooks/${webhookId}/deliveries/${delivery.deliveryId}`, signal }),
  });
  return (
    <Dialog title="Delivery" onClose={onClose} wide>
      {whole.error ? <Failure failure={whole.error} /> : null}
      {whole.isPending ? <Skeleton rows={4} /> : null}
      {whole.data ? (
        <>
          <h3>Attempts</h3>
          <ol className="attempts">
            {whole.data.attempts.map((attempt) => (
              <li key={attempt.number}>
                <strong>
                  {attempt.status === null ? (attempt.reason ?? attempt.outcome) : `HTTP ${attempt.status}`}
                </strong>{" "}
                <span className="note">
                  {momentText(Date.parse(attempt.startedAt))}, {attempt.durationMs} ms
                </span>
                {attempt.response ? <pre className="code">{attempt.response}</pre> : null}
              </li>
            ))}
          </ol>
          <h3>What is sent</h3>
          <pre className="code">{JSON.stringify(whole.data.payload, null, 2)}</pre>
        </>
      ) : null}
    </Dialog>
  );
}
