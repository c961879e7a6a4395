import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Form, type Submission, unwrap } from "../../api/forms.ts";
import { useSession } from "../../api/session.ts";
import { momentText } from "../../format/dates.ts";
import { Address } from "../../ui/address.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormFailure } from "../../ui/form.tsx";
import { Failure, Skeleton } from "../../ui/states.tsx";
import { answerText } from "./answer-text.ts";

interface SubmissionDelivery {
  deliveryId: string;
  targetUrl: string;
  state: string;
  attempts: number;
  settledAt: string | null;
}

interface Deleted {
  cancelledDeliveries: number;
  sentTo: readonly string[];
}

/** Properties of a submission that are not answers. */
const OWN = new Set(["id", "formId", "formTitle", "submissionId", "submittedAt", "spamReason"]);

/** One submission: every answer, also to questions that the form no longer has, and what became of its deliveries. */
export function AnswerDialog({ form, id, onClose }: { form: Form; id: string; onClose: () => void }) {
  const { workspace } = useSession();
  const path = `/api/forms/${form.id}/submissions/${encodeURIComponent(id)}`;
  const [deleted, setDeleted] = useState<Deleted>();
  const answer = useQuery({
    queryKey: ["submission", form.id, id],
    queryFn: ({ signal }) => unwrap<Submission>({ path, signal }),
    retry: false,
    enabled: deleted === undefined,
  });
  const { data } = answer;
  return (
    <Dialog title="Answer" onClose={onClose} wide>
      {deleted ? <DeletedNote deleted={deleted} onClose={onClose} /> : null}
      {answer.error && !deleted ? <Failure failure={answer.error} /> : null}
      {answer.isPending ? <Skeleton rows={4} /> : null}
      {data && !deleted ? (
        <div className="stack answer">
          <p className="note">
            Received <time dateTime={data.submittedAt}>{momentText(Date.parse(data.submittedAt))}</time>
            {data.spamReason ? `. Suspected spam: ${data.spamReason}` : ""}
          </p>
          <Answers form={form} answer={data} />
          <AnswerDeliveries path={path} />
          {workspace.can.edit ? <DeleteAnswer path={path} formId={form.id} onDeleted={setDeleted} /> : null}
        </div>
      ) : null}
    </Dialog>
  );
}

function Answers({ form, answer }: { form: Form; answer: Submission }) {
  const asked = form.fields.flatMap(({ key, label, type }) => (key === null ? [] : [{ key, label, type }]));
  const known = new Set(asked.map(({ key }) => key));
  const former = Object.keys(answer).filter((key) => !OWN.has(key) && !known.has(key));
  return (
    <dl className="answer-fields">
      {asked.map(({ key, label, type }) => (
        <div key={key}>
          <dt>{label}</dt>
          <dd>{type === "wallet" ? <WalletAnswer value={answer[key]} /> : answerText(answer[key]) || "–"}</dd>
        </div>
      ))}
      {former.map((key) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{answerText(answer[key]) || "–"}</dd>
        </div>
      ))}
    </dl>
  );
}

function WalletAnswer({ value }: { value: unknown }) {
  const address = answerText(value);
  if (address === "") return "–";
  // Events have EVM addresses in small letters; those of other chains depend on capitals.
  const inEvents = address.startsWith("0x") ? address.toLowerCase() : address;
  return (
    <span className="answer-wallet">
      <Address address={address} whole canCopy />
      <Link to="/app/activity" search={{ address: inEvents, period: "all" } as never}>
        Activity of this wallet
      </Link>
    </span>
  );
}

function AnswerDeliveries({ path }: { path: string }) {
  const { data, error } = useQuery({
    queryKey: ["submission-deliveries", path],
    queryFn: ({ signal }) =>
      unwrap<{ deliveries: readonly SubmissionDelivery[] }>({ path: `${path}/deliveries`, signal }),
    refetchInterval: 5_000,
  });
  return (
    <section aria-label="Webhooks" className="answer-deliveries">
      <h3>Webhooks</h3>
      {error ? <Failure failure={error} /> : null}
      {data?.deliveries.length === 0 ? <p className="note">Sent to no webhook, or longer than 30 days ago.</p> : null}
      <ul>
        {data?.deliveries.map(({ deliveryId, targetUrl, state, attempts }) => (
          <li key={deliveryId}>
            <span className={`badge ${state === "delivered" ? "good" : "warn"}`}>{state}</span> <span>{targetUrl}</span>{" "}
            <small>
              {attempts} {attempts === 1 ? "attempt" : "attempts"}
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}

function DeleteAnswer(props: { path: string; formId: string; onDeleted: (deleted: Deleted) => void }) {
  const { path, formId, onDeleted } = props;
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  const remove = useMutation({
    mutationFn: () => unwrap<Deleted>({ method: "DELETE", path }),
    onSuccess: async (deleted) => {
      onDeleted(deleted);
      await client.invalidateQueries({ queryKey: ["submissions", formId] });
    },
  });
  if (!asked)
    return (
      <div className="dialog-actions">
        <button type="button" className="button danger" onClick={() => setAsked(true)}>
          Delete this answer
        </button>
      </div>
    );
  return (
    <div className="stack">
      <p>
        It is erased here, with the log of its deliveries, and cannot be brought back. Deliveries that are not sent yet
        are cancelled; addresses that have received it keep it.
      </p>
      <FormFailure failure={remove.error} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={() => setAsked(false)}>
          Keep it
        </button>
        <button type="button" className="button danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Delete it for good
        </button>
      </div>
    </div>
  );
}

function DeletedNote({ deleted, onClose }: { deleted: Deleted; onClose: () => void }) {
  const { cancelledDeliveries: cancelled, sentTo } = deleted;
  return (
    <div className="stack" role="status">
      <p>The answer is deleted.</p>
      {cancelled > 0 ? <p>Cancelled before sending: {cancelled}.</p> : null}
      {sentTo.length > 0 ? <p>Already sent to {sentTo.join(", ")}. Delete it there, too.</p> : null}
      <div className="dialog-actions">
        <button type="button" className="button primary" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  );
}
