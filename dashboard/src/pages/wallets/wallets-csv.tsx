import { useState } from "react";
import { type ApiRequest, call } from "../../api/client.ts";
import type { Profile, ProfilePage } from "../../api/profiles.ts";
import { full } from "../../format/numbers.ts";
import type { TableData } from "../../format/table.ts";
import { useDownload } from "../../ui/download.ts";
import { Icon } from "../../ui/icon.tsx";
import { labelText } from "./profile-text.ts";

/** Ten pages of the largest size; a script reads more. */
const MOST = 10_000;
const SIZE = 1000;

const COLUMNS = ["address", "first_seen", "last_seen", "num_sessions", "transactions", "volume", "revenue", "points"];
const MORE = ["lifecycle", "user_id", "first_channel", "first_referrer", "first_utm_source", "labels"];

/** Everything that was found, not only the page that is shown. */
export function WalletsCsv({ request, total }: { request: ApiRequest; total: number }) {
  const { csv } = useDownload();
  const [done, setDone] = useState<number>();
  const [note, setNote] = useState<{ text: string; isFailure: boolean }>();
  const save = async () => {
    setNote(undefined);
    try {
      const profiles = await readAll(request, setDone);
      csv("wallets", walletTable(profiles));
      if (total > profiles.length)
        setNote({
          text: `The CSV has the first ${full(profiles.length, "count")} of ${full(total, "count")}.`,
          isFailure: false,
        });
    } catch {
      setNote({ text: "The CSV could not be made. Try again.", isFailure: true });
    } finally {
      setDone(undefined);
    }
  };
  return (
    <>
      <button type="button" className="button" disabled={done !== undefined || total === 0} onClick={() => void save()}>
        <Icon name="download" />
        {done === undefined ? "CSV" : `${full(done, "count")} of ${full(Math.min(total, MOST), "count")}`}
      </button>
      {note ? (
        <span className={note.isFailure ? "form-failure" : "note"} role={note.isFailure ? "alert" : "status"}>
          {note.text}
        </span>
      ) : null}
    </>
  );
}

async function readAll(request: ApiRequest, onProgress: (done: number) => void): Promise<readonly Profile[]> {
  const all: Profile[] = [];
  for (let page = 1; all.length < MOST; page += 1) {
    onProgress(all.length);
    const found = await call<ProfilePage>({ ...request, query: { ...request.query, page, size: SIZE } });
    all.push(...found.data);
    if (!found.has_more) break;
  }
  return all;
}

function walletTable(profiles: readonly Profile[]): TableData {
  return {
    columns: [...COLUMNS, ...MORE].map((key) => ({ key, label: key })),
    rows: profiles.map((profile) => ({ ...profile, labels: (profile.labels ?? []).map(labelText).join("; ") })),
  };
}
