import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { LINK_LIMITS } from "../../../../src/contract/link-limits.ts";
import { boardPath } from "../../api/boards.ts";
import { type ApiRequest, call } from "../../api/client.ts";
import { retryOnce } from "../../api/reports.ts";
import { agoText } from "../../format/dates.ts";
import { full } from "../../format/numbers.ts";
import { filtersParameter } from "../../state/filters.ts";
import { useView } from "../../state/view.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Confirm, FormFailure, formTexts } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import "./share.css";

interface Link {
  id: string;
  title: string | null;
  /** Null for whoever may not make links. */
  url: string | null;
  has_password: boolean;
  filters: readonly unknown[] | null;
  segment: string | null;
  date_from: string | null;
  date_to: string | null;
  days: number | null;
  frame_ancestors: readonly string[];
  expires_at: string | null;
  expired: boolean;
  last_used_at: string | null;
  uses: number;
  charts_left_out: number;
}

const linksPath = (board: string) => `${boardPath(board)}/links`;
const linksKey = (board: string) => ["board-links", board] as const;

interface LinkChange {
  change: (links: readonly Link[], answer: Link) => readonly Link[];
  onDone?: (answer: Link) => void;
}

/** A write of links: the list is right at once, and read again. */
function useLinkWrite<V>(board: string, toRequest: (value: V) => ApiRequest, { change, onDone }: LinkChange) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (value: V) => call<Link>(toRequest(value)),
    onSuccess: async (answer) => {
      client.setQueryData<readonly Link[]>(linksKey(board), (links = []) => change(links, answer));
      onDone?.(answer);
      await Promise.all(
        [linksKey(board), ["boards"], ["board"]].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
    },
  });
}

interface ShareBoardProps {
  board: { id: string; title: string };
  onClose: () => void;
}

/** The public links of a board: who has one sees the board without an account, as far as the link allows. */
export function ShareBoard({ board, onClose }: ShareBoardProps) {
  const [isMaking, setMaking] = useState(false);
  const links = useQuery({
    queryKey: linksKey(board.id),
    queryFn: async ({ signal }) => (await call<{ data: readonly Link[] }>({ path: linksPath(board.id), signal })).data,
    retry: retryOnce,
  });
  const { content, focusLater } = useFocusLater();
  const isFull = (links.data?.length ?? 0) >= LINK_LIMITS.perBoard;
  const open = () => {
    setMaking(true);
    focusLater("[name=title]");
  };
  const close = (made?: Link) => {
    setMaking(false);
    focusLater(made === undefined ? ".share-new" : `[data-link="${made.id}"] button`);
  };
  return (
    <Dialog title={`Share ${board.title}`} onClose={onClose} wide>
      <div ref={content} className="share">
        <p>
          Whoever has a link sees the charts of this board and their numbers, without an account. Nobody sees the
          questions behind them, other boards or other projects. Titles are seen, also those of segments that a chart
          compares.
        </p>
        {links.error ? <Failure failure={links.error} onRetry={() => void links.refetch()} /> : null}
        {links.isPending ? <Skeleton rows={2} /> : null}
        {links.data?.length === 0 && !isMaking ? (
          <Empty title="Nobody outside sees this board" icon="link">
            Make a link, and send it to whom you like.
          </Empty>
        ) : null}
        {isMaking || !links.data?.length ? null : (
          <ul className="share-links">
            {links.data.map((link) => (
              <LinkRow key={link.id} board={board.id} link={link} />
            ))}
          </ul>
        )}
        {isMaking ? (
          <NewLink board={board.id} onMade={close} onCancel={() => close()} />
        ) : (
          <div className="dialog-actions">
            {isFull ? (
              <p className="note">A board has at most {LINK_LIMITS.perBoard} links: revoke one to make another.</p>
            ) : null}
            <button
              type="button"
              className="button primary share-new"
              disabled={links.data === undefined || isFull}
              onClick={open}
            >
              <Icon name="plus" /> New link
            </button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** What had the focus is gone after a change of the dialog: the next thing to use gets it. */
function useFocusLater() {
  const content = useRef<HTMLDivElement>(null);
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    const element = wanted.current && content.current?.querySelector<HTMLElement>(wanted.current);
    if (!element) return;
    wanted.current = undefined;
    element.focus();
  });
  return {
    content,
    focusLater: (selector: string) => {
      wanted.current = selector;
    },
  };
}

function LinkRow({ board, link }: { board: string; link: Link }) {
  const name = link.title ?? "Public link";
  const revoke = useLinkWrite<void>(board, () => ({ method: "DELETE", path: `${linksPath(board)}/${link.id}` }), {
    change: (links) => links.filter(({ id }) => id !== link.id),
  });
  return (
    <li className={link.expired ? "share-link expired" : "share-link"} data-link={link.id}>
      <div className="share-text">
        <strong>{name}</strong>
        <span>{limitsOf(link).join(" · ")}</span>
        <small>{openedText(link)}</small>
      </div>
      <div className="share-actions">
        {link.url && !link.expired ? <CopyButton text={link.url}>Copy the link</CopyButton> : null}
        {link.url && !link.expired && link.frame_ancestors.length > 0 ? (
          <CopyButton text={frameOf(link.url, name)}>Copy the frame</CopyButton>
        ) : null}
        <Confirm
          label="Revoke"
          title={`Revoke ${name}`}
          about="It stops at once, for everybody who has it. A new link has another address."
          confirm="Revoke"
          pending={revoke.isPending}
          failure={revoke.error}
          onConfirm={() => revoke.mutate()}
        />
      </div>
    </li>
  );
}

function limitsOf(link: Link): string[] {
  const { has_password, filters, segment, days, date_from, date_to, frame_ancestors, expires_at, expired } = link;
  const leftOut = link.charts_left_out;
  const period = days === null ? [date_from, date_to].map((day) => day ?? "…").join(" to ") : `the last ${days} days`;
  return [
    ...(expires_at === null ? [] : [`${expired ? "expired on" : "until"} ${expires_at.slice(0, 10)}`]),
    ...(has_password ? ["with a password"] : []),
    ...(days !== null || date_from !== null || date_to !== null ? [period] : []),
    ...(filters === null && segment === null ? [] : ["some of the visits"]),
    ...(leftOut === 0 ? [] : [leftOut === 1 ? "1 chart left out" : `${leftOut} charts left out`]),
    ...(frame_ancestors.length === 0 ? [] : [`in frames of ${frame_ancestors.join(", ")}`]),
  ];
}

function openedText({ uses, last_used_at }: Link): string {
  if (last_used_at === null) return "Never opened";
  if (uses === 0) return `Its charts were read ${agoText(Date.parse(last_used_at), Date.now())}`;
  const times = uses === 1 ? "once" : `${full(uses, "count")} times`;
  return `Opened ${times}, last ${agoText(Date.parse(last_used_at), Date.now())}`;
}

function frameOf(url: string, title: string): string {
  const escaped = title.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<iframe src="${url}?embed=1" title="${escaped}" width="100%" height="800" style="border:0"></iframe>`;
}

const DAYS: readonly [value: string, label: string][] = [
  ["", "Any days"],
  ["7", "The last 7 days"],
  ["30", "The last 30 days"],
  ["90", "The last 90 days"],
  ["365", "The last 365 days"],
  ["range", "From the first to the last day of this page"],
];

function limitsText(filters: number, hasSegment: boolean): string {
  const some = filters === 1 ? "the filter" : `the ${filters} filters`;
  if (!hasSegment) return `${some} of this page ${filters === 1 ? "matches" : "match"}`;
  return filters === 0 ? "the segment of this page matches" : `the segment and ${some} of this page match`;
}

interface NewLinkProps {
  board: string;
  onMade: (link: Link) => void;
  onCancel: () => void;
}

function NewLink({ board, onMade, onCancel }: NewLinkProps) {
  const { filters, segment, range } = useView();
  const make = useLinkWrite<object>(board, (body) => ({ method: "POST", path: linksPath(board), body }), {
    change: (links, made) => [...links, made],
    onDone: onMade,
  });
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    const { title = "", expires = "", password = "", days = "", isFiltered, origins = "" } = formTexts(event);
    const list = origins.split(/[\s,]+/).filter((origin) => origin !== "");
    make.mutate({
      ...(title.trim() === "" ? {} : { title: title.trim() }),
      ...(expires === "" ? {} : { expires_at: `${expires}T23:59:59Z` }),
      ...(password === "" ? {} : { password }),
      ...(days === "range" ? { date_from: range.from, date_to: range.to } : days === "" ? {} : { days: Number(days) }),
      ...(isFiltered === undefined || filters.length === 0
        ? {}
        : { filters: JSON.parse(filtersParameter(filters) ?? "[]") as unknown }),
      ...(isFiltered === undefined || segment === undefined ? {} : { segment }),
      ...(list.length === 0 ? {} : { frame_ancestors: list.map((origin) => origin.replace(/\/+$/, "")) }),
    });
  };
  return (
    <form className="stack share-form" aria-label="New link" onSubmit={onSubmit}>
      <label>
        For whom
        <input name="title" maxLength={200} placeholder="Only members see this" />
      </label>
      <label>
        Until
        <input name="expires" type="date" />
        <small>Empty: until somebody revokes it.</small>
      </label>
      <label>
        Password
        <input
          name="password"
          type="text"
          autoComplete="off"
          minLength={LINK_LIMITS.passwordMinChars}
          maxLength={LINK_LIMITS.passwordMaxChars}
          spellCheck={false}
          autoCapitalize="none"
        />
        <small>
          Empty: none. At least {LINK_LIMITS.passwordMinChars} characters; send it another way than the link.
        </small>
      </label>
      <label>
        Days
        <select name="days">
          {DAYS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <small>
          With days of its own, charts that look at others are left out. A chart of SQL is trusted to use{" "}
          <code>{"{{date_from}}"}</code> and <code>{"{{date_to}}"}</code> as its limits.
        </small>
      </label>
      {filters.length > 0 || segment !== undefined ? (
        <label className="check">
          <input type="checkbox" name="isFiltered" value="1" />
          Only what {limitsText(filters.length, segment !== undefined)}. Charts of SQL are then left out.
        </label>
      ) : null}
      <label>
        Pages that may embed it
        <input name="origins" spellCheck={false} autoCapitalize="none" />
        <small>The beginnings of their addresses, with https, and blanks between them. Empty: none.</small>
      </label>
      <FormFailure failure={make.error} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={make.isPending}>
          Make the link
        </button>
      </div>
    </form>
  );
}
