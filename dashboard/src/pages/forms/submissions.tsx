import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { type Form, type Page, readSubmissions, type Submission, submissionsRequest } from "../../api/forms.ts";
import { momentText } from "../../format/dates.ts";
import { csvName } from "../../format/table.ts";
import { type RawSearch, text } from "../../state/search.ts";
import { useSetSearch } from "../../state/view.ts";
import { Address } from "../../ui/address.tsx";
import { downloadCsv } from "../../ui/download.ts";
import { Icon } from "../../ui/icon.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RequestDialog } from "../../ui/request-dialog.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { AnswerDialog } from "./answer.tsx";
import { answerText } from "./answer-text.ts";

/** The search reads so many of the newest submissions. */
const SEARCHED = 2_000;
const IN_CSV = 1_000_000;
const FIELDS_OF_CSV = [
  { key: "id", label: "id" },
  { key: "submittedAt", label: "submittedAt" },
];

export function Submissions({ form }: { form: Form }) {
  const search = useSearch({ strict: false }) as RawSearch;
  const set = useSetSearch();
  const [asked, setAsked] = useState("");
  const [showsRequest, setShowsRequest] = useState(false);
  const spam = search.spam === "true";
  const opened = text(search.answer);
  const page = Math.max(1, Math.trunc(Number(text(search.page) ?? 1)) || 1);
  const listed = useQuery({
    queryKey: ["submissions", form.id, page, spam],
    queryFn: ({ signal }) => call<Page<Submission>>({ ...submissionsRequest(form.id, page, spam), signal }),
    // Another page of the same list; never answers among the spam.
    placeholderData: (before, query) =>
      query?.queryKey[1] === form.id && query.queryKey[3] === spam ? before : undefined,
    refetchInterval: 10_000,
    enabled: asked === "",
  });
  const found = useQuery({
    queryKey: ["submissions", form.id, "all", spam],
    queryFn: ({ signal }) => readSubmissions(form.id, { spam, most: SEARCHED, signal }),
    enabled: asked !== "",
    staleTime: 30_000,
  });
  const shown = asked === "" ? listed : found;
  const rows = asked === "" ? listed.data?.data : found.data?.filter((row) => holds(row, asked));
  return (
    <section className="panel" aria-label="Submissions">
      <header className="panel-head submissions-head">
        <Segmented
          label="Which submissions"
          options={[
            { value: "real", label: "Submissions" },
            { value: "spam", label: "Suspected spam" },
          ]}
          value={spam ? "spam" : "real"}
          onChange={(value) => set({ spam: value === "spam" ? "true" : undefined, page: undefined })}
        />
        <div className="panel-actions">
          <SearchField value={asked} onChange={setAsked} />
          <CsvButton form={form} spam={spam} />
          <button
            type="button"
            className="button ghost square"
            aria-label="Show the request"
            onClick={() => setShowsRequest(true)}
          >
            <Icon name="terminal" />
          </button>
        </div>
      </header>
      <div className={shown.isPlaceholderData ? "panel-body stale" : "panel-body"}>
        {shown.error ? <Failure failure={shown.error} onRetry={() => void shown.refetch()} /> : null}
        {shown.isPending && !shown.error ? <Skeleton rows={8} /> : null}
        {rows?.length === 0 ? <Nothing asked={asked} spam={spam} url={form.url} /> : null}
        {rows !== undefined && rows.length > 0 ? (
          <SubmissionTable form={form} rows={rows} onOpen={(id) => set({ answer: id })} />
        ) : null}
        {asked === "" && listed.data ? (
          <Pager
            total={listed.data.total}
            page={listed.data.page}
            size={listed.data.size}
            before="Newer"
            after="Older"
            onPage={(next) => set({ page: next === 1 ? undefined : String(next) })}
          />
        ) : null}
        {asked !== "" && found.data?.length === SEARCHED ? (
          <p className="note">Searched the {SEARCHED} newest. The CSV has all of them.</p>
        ) : null}
      </div>
      {opened ? <AnswerDialog key={opened} form={form} id={opened} onClose={() => set({ answer: undefined })} /> : null}
      {showsRequest ? (
        <RequestDialog request={submissionsRequest(form.id, page, spam)} onClose={() => setShowsRequest(false)} />
      ) : null}
    </section>
  );
}

function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <input
      type="search"
      className="input submissions-search"
      placeholder="Search the answers"
      aria-label="Search the answers"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function Nothing({ asked, spam, url }: { asked: string; spam: boolean; url: string }) {
  if (asked !== "") return <Empty title={`No answer holds “${asked}”`} icon="search" />;
  if (spam) return <Empty title="No suspected spam">It is kept for 30 days, and fires no webhook.</Empty>;
  return (
    <Empty title="Nobody has answered yet" icon="forms">
      Share its page: <a href={url}>{url}</a>
    </Empty>
  );
}

function holds(row: Submission, asked: string): boolean {
  const wanted = asked.toLowerCase();
  return Object.values(row).some((value) => answerText(value).toLowerCase().includes(wanted));
}

interface TableProps {
  form: Form;
  rows: readonly Submission[];
  onOpen: (id: string) => void;
}

function SubmissionTable({ form, rows, onOpen }: TableProps) {
  const fields = form.fields.filter(({ key }) => key !== null);
  return (
    <ScrollRegion label="Answers" className="table-scroll submissions-table">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Received</th>
            {fields.map(({ id, label }) => (
              <th key={id} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td className="nowrap">
                <button type="button" className="link-button" onClick={() => onOpen(row.id)}>
                  <span className="hidden">Open the answer of </span>
                  <time dateTime={row.submittedAt}>{momentText(Date.parse(row.submittedAt))}</time>
                </button>
                {row.spamReason ? <small> {row.spamReason}</small> : null}
              </td>
              {fields.map(({ id, key, type }) => (
                <td key={id}>
                  {type === "wallet" ? (
                    <Address address={answerText(row[key ?? ""])} whole />
                  ) : (
                    answerText(row[key ?? ""])
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function CsvButton({ form, spam }: { form: Form; spam: boolean }) {
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const [failure, setFailure] = useState<unknown>();
  const run = async () => {
    setFailure(undefined);
    try {
      const rows = await readSubmissions(form.id, {
        spam,
        most: IN_CSV,
        onProgress: (done, total) => setProgress({ done, total }),
      });
      const fields = form.fields.flatMap(({ key }) => (key === null ? [] : [{ key, label: key }]));
      const readable = rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([key, value]) => [key, answerText(value)])),
      );
      downloadCsv(csvName([form.title]), { columns: [...FIELDS_OF_CSV, ...fields], rows: readable });
    } catch (cause) {
      setFailure(cause);
    } finally {
      setProgress(undefined);
    }
  };
  return (
    <>
      <button type="button" className="button" disabled={progress !== undefined} onClick={() => void run()}>
        <Icon name="download" />
        {progress ? `${progress.done} of ${progress.total}` : "CSV"}
      </button>
      {failure ? (
        <span className="form-failure" role="alert">
          The CSV is incomplete. Try again.
        </span>
      ) : null}
    </>
  );
}
