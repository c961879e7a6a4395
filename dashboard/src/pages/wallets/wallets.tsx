import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { type ProfilePage, useProfiles } from "../../api/profiles.ts";
import { useSession } from "../../api/session.ts";
import { full } from "../../format/numbers.ts";
import { uniqueKeys } from "../../format/unique-keys.ts";
import { useLater } from "../../state/use-later.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { Icon } from "../../ui/icon.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RequestDialog } from "../../ui/request-dialog.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SlowLine } from "../../ui/slow.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { type Asked, conditionsPatch, MOST_CONDITIONS, ORDER_NAMES, ORDERS, type Order, useAsked } from "./asked.ts";
import { AddCondition } from "./condition-form.tsx";
import { conditionText, conditionWords, segmentFilters, whyNoSegment } from "./conditions.ts";
import { SaveSegment } from "./save-segment.tsx";
import { WalletTable } from "./wallet-table.tsx";
import { WalletsCsv } from "./wallets-csv.tsx";
import "./wallets.css";

/** Who has a wallet: a row for each, over all days that the project keeps. */
export function Wallets() {
  const { project } = useView();
  const set = useSetSearch();
  const [showsRequest, setShowsRequest] = useState(false);
  const asked = useAsked();
  const list = useProfiles(asked.request, project !== undefined);
  const orderBy = (order: Order) =>
    set({
      order: order === "last_seen" ? undefined : order,
      dir: asked.order === order && asked.dir === "desc" ? "asc" : undefined,
      page: undefined,
    });
  return (
    <div className="wallets-page">
      <div className="page-head">
        <div>
          <h1>Wallets</h1>
          <p>Every wallet that the project has seen or that your app has told of. Times are UTC.</p>
        </div>
        <div className="wallets-tools">
          <WalletsCsv key={JSON.stringify(asked.request)} request={asked.request} total={list.data?.total ?? 0} />
          <button type="button" className="button" onClick={() => setShowsRequest(true)}>
            <Icon name="terminal" />
            Request
          </button>
        </div>
      </div>
      <Conditions asked={asked} />
      <section className="panel" aria-label="Wallets" aria-busy={list.isFetching && list.data === undefined}>
        <SlowLine active={list.isFetching && list.data === undefined} queryKeys={[["profiles"]]} />
        <div className={list.isPlaceholderData ? "panel-body wallets-body stale" : "panel-body wallets-body"}>
          {list.error ? <Failure failure={list.error} onRetry={() => void list.refetch()} /> : null}
          {list.isPending && !list.error ? <Skeleton rows={12} /> : null}
          {list.data ? <Found found={list.data} asked={asked} onOrder={orderBy} /> : null}
        </div>
      </section>
      {showsRequest ? <RequestDialog request={asked.request} onClose={() => setShowsRequest(false)} /> : null}
    </div>
  );
}

interface FoundProps {
  found: ProfilePage;
  asked: Asked;
  onOrder: (order: Order) => void;
}

function Found({ found, asked, onOrder }: FoundProps) {
  const set = useSetSearch();
  if (found.total === 0) return <Nothing asked={asked} />;
  return (
    <>
      <p className="note" role="status">
        {full(found.total, "count")} {found.total === 1 ? "wallet" : "wallets"}
      </p>
      <WalletTable profiles={found.data} order={asked.order} dir={asked.dir} onOrder={onOrder} />
      <Pager
        total={found.total}
        page={found.page}
        size={found.size}
        before="Previous"
        after="Next"
        onPage={(page) => set({ page: page === 1 ? undefined : String(page) })}
      />
    </>
  );
}

function Nothing({ asked }: { asked: Asked }) {
  const set = useSetSearch();
  if (asked.wanted === "" && asked.conditions.length === 0) {
    return (
      <Empty title="No wallets yet" icon="user">
        A wallet is here as soon as one of its events is stored. <Link to="/app/start">Connect your app</Link>
      </Empty>
    );
  }
  return (
    <Empty title="No wallet meets this" icon="search">
      <button
        type="button"
        className="button"
        onClick={() => set({ q: undefined, logic: undefined, ...conditionsPatch([]) })}
      >
        Show all wallets
      </button>
    </Empty>
  );
}

function Conditions({ asked }: { asked: Asked }) {
  const { conditions, logic, order, dir } = asked;
  const set = useSetSearch();
  const { workspace } = useSession();
  const words = conditions.map(conditionWords);
  // A link may have the same condition twice.
  const keys = uniqueKeys(conditions.map(conditionText));
  const filters = segmentFilters(conditions, logic);
  const why = whyNoSegment(conditions, logic);
  return (
    <div className="wallets-conditions">
      <Search wanted={asked.wanted} />
      {conditions.length < MOST_CONDITIONS ? (
        <AddCondition onAdd={(condition) => set(conditionsPatch([...conditions, condition]))} />
      ) : null}
      <label className="wallets-order">
        <span className="hidden">Order by</span>
        <select
          value={`${order} ${dir}`}
          onChange={({ target }) => {
            const [by, way] = target.value.split(" ");
            set({ order: by, dir: way === "asc" ? "asc" : undefined, page: undefined });
          }}
        >
          {ORDER_NAMES.flatMap((name) =>
            (["desc", "asc"] as const).map((way) => (
              <option key={`${name} ${way}`} value={`${name} ${way}`}>
                {ORDERS[name]}, {way === "desc" ? "largest first" : "smallest first"}
              </option>
            )),
          )}
        </select>
      </label>
      {conditions.length > 1 ? (
        <Segmented
          label="How the conditions are joined"
          options={[
            { value: "and", label: "All hold" },
            { value: "or", label: "Any holds" },
          ]}
          value={logic}
          onChange={(value) => set({ logic: value === "or" ? "or" : undefined, page: undefined })}
        />
      ) : null}
      {filters !== undefined && workspace.can.edit ? <SaveSegment filters={filters} words={words} /> : null}
      {why !== undefined && workspace.can.edit ? <p className="note">{why}</p> : null}
      {conditions.length > 0 ? (
        <ul className="chips" aria-label="Conditions">
          {words.map((text, index) => (
            <li key={keys[index]} className="chip">
              <span className="chip-text">{text}</span>
              <button
                type="button"
                className="chip-close"
                aria-label={`Remove: ${text}`}
                onClick={() => set(conditionsPatch(conditions.filter((_, at) => at !== index)))}
              >
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

const PAUSE_MS = 300;

/** Asks after a pause in typing. */
function Search({ wanted }: { wanted: string }) {
  const set = useSetSearch();
  const [typed, setTyped] = useState(wanted);
  const later = useLater(typed, PAUSE_MS);
  // The last text that either side had: what is typed meanwhile stays, and a link or "back" changes the field.
  const known = useRef(wanted);
  useEffect(() => {
    if (wanted === known.current) return;
    known.current = wanted;
    setTyped(wanted);
  }, [wanted]);
  useEffect(() => {
    const next = later.trim();
    if (next === known.current) return;
    known.current = next;
    set({ q: next === "" ? undefined : next, page: undefined }, { replace: true });
  }, [later, set]);
  return (
    <input
      type="search"
      className="input wallets-search"
      aria-label="Search wallets"
      placeholder="Address, ENS or another name"
      value={typed}
      maxLength={255}
      spellCheck={false}
      autoComplete="off"
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}
