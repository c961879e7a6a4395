import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { call } from "../../api/client.ts";
import { isPassing } from "../../api/failure.ts";
import type { Form, Page } from "../../api/forms.ts";
import { unwrap } from "../../api/forms.ts";
import { useSession } from "../../api/session.ts";
import { agoText } from "../../format/dates.ts";
import { oneOf, type RawSearch, text } from "../../state/search.ts";
import { useSetSearch } from "../../state/view.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { Builder } from "./builder.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Submissions } from "./submissions.tsx";
import "./forms.css";

const TABS = [
  { value: "submissions", label: "Submissions" },
  { value: "edit", label: "Edit" },
  { value: "webhooks", label: "Webhooks" },
] as const;

/** The forms of the workspace, or one of them: the URL says which, and which of its tabs. */
export function Forms() {
  const { form } = useSearch({ strict: false }) as RawSearch;
  const chosen = text(form);
  if (chosen === "new") return <Builder />;
  return chosen === undefined ? <FormList /> : <OneForm id={chosen} />;
}

function FormList() {
  const set = useSetSearch();
  const { workspace } = useSession();
  const forms = useQuery({
    queryKey: ["forms", workspace.id],
    queryFn: ({ signal }) => call<Page<Form>>({ path: "/api/forms", query: { size: 200 }, signal }),
  });
  return (
    <>
      <header className="page-head">
        <div>
          <h1>Forms</h1>
          <p>Of the whole workspace. Answers go to your tools by webhook.</p>
        </div>
        {workspace.can.edit ? (
          <button type="button" className="button primary" onClick={() => set({ form: "new" })}>
            <Icon name="plus" /> New form
          </button>
        ) : null}
      </header>
      {forms.error ? <Failure failure={forms.error} onRetry={() => void forms.refetch()} /> : null}
      {forms.isPending ? <Skeleton rows={4} /> : null}
      {forms.data?.total === 0 ? (
        <div className="panel">
          <Empty title="There is no form yet" icon="forms">
            Make one, share its page, and read the answers here or in your own tools.
          </Empty>
        </div>
      ) : null}
      <ul className="form-cards">
        {forms.data?.data.map((form) => (
          <li key={form.id} className="panel form-card">
            <button type="button" className="form-card-open" onClick={() => set({ form: form.id })}>
              <strong>{form.title}</strong>
              <span className="note">
                {form.fields.length} {form.fields.length === 1 ? "field" : "fields"}, changed{" "}
                {agoText(Date.parse(form.updatedAt), Date.now())}
              </span>
            </button>
            <span className="form-card-tools">
              <CopyButton text={form.url} label={`Copy the link of ${form.title}`} />
              <a className="button ghost square" href={form.url} target="_blank" rel="noreferrer">
                <Icon name="external" />
                <span className="hidden">Open {form.title} in a new tab</span>
              </a>
            </span>
          </li>
        ))}
      </ul>
      {forms.data?.has_more ? <p className="note">The 200 newest of {forms.data.total} forms.</p> : null}
    </>
  );
}

function OneForm({ id }: { id: string }) {
  const set = useSetSearch();
  const { workspace } = useSession();
  const { tab: wanted } = useSearch({ strict: false }) as RawSearch;
  const tabs = workspace.can.edit ? TABS : TABS.filter(({ value }) => value === "submissions");
  const tab = oneOf(
    tabs.map(({ value }) => value),
    wanted,
  );
  const form = useQuery({
    queryKey: ["form", id],
    queryFn: ({ signal }) => unwrap<Form>({ path: `/api/forms/${id}`, signal }),
  });
  // What is typed in the builder stays, too, when the form cannot be read any more.
  const isKept = form.data !== undefined && (tab === "edit" || isPassing(form.error));
  if (form.error && !isKept) return <Failure failure={form.error} onRetry={() => void form.refetch()} />;
  if (form.data === undefined) return <Skeleton rows={6} />;
  return (
    <>
      <header className="page-head">
        <div className="form-title">
          <button
            type="button"
            className="button ghost square"
            aria-label="All forms"
            onClick={() =>
              set({ form: undefined, tab: undefined, page: undefined, spam: undefined, answer: undefined })
            }
          >
            <Icon name="back" />
          </button>
          <h1>{form.data.title}</h1>
        </div>
        <div className="form-card-tools">
          <Segmented
            label="Part of the form"
            options={tabs}
            value={tab ?? "submissions"}
            onChange={(value) => set({ tab: value === "submissions" ? undefined : value, page: undefined })}
          />
          <CopyButton text={form.data.url}>Copy link</CopyButton>
          <a className="button" href={form.data.url} target="_blank" rel="noreferrer">
            <Icon name="external" /> Open
          </a>
        </div>
      </header>
      {tab === "edit" ? <Edit key={id} form={form.data} /> : null}
      {tab === "webhooks" ? <Deliveries formId={id} /> : null}
      {tab === undefined || tab === "submissions" ? <Submissions form={form.data} /> : null}
    </>
  );
}

/** What is typed stays when a newer state of the form comes from another tab or from somebody else. */
function Edit({ form }: { form: Form }) {
  const [begun, setBegun] = useState(form);
  const [isTyped, setTyped] = useState(false);
  const begin = (from: Form) => {
    setBegun(from);
    setTyped(false);
  };
  const isBehind = form.updatedAt > begun.updatedAt;
  if (isBehind && !isTyped) setBegun(form);
  const isTold = isBehind && isTyped;
  const all = useRef<HTMLDivElement>(null);
  const beginAgain = () => {
    flushSync(() => begin(form));
    // The button that had the focus is gone.
    all.current?.querySelector("input")?.focus();
  };
  return (
    <div ref={all}>
      <div className={isTold ? "form-changed" : undefined}>
        <p role="status">{isTold ? "This form has been changed since you began. Saving replaces that change." : ""}</p>
        {isTold ? (
          <button type="button" className="button" onClick={beginAgain}>
            Begin again from the changed form
          </button>
        ) : null}
      </div>
      <Builder key={begun.updatedAt} form={begun} onTyped={() => setTyped(true)} onSaved={begin} />
    </div>
  );
}
