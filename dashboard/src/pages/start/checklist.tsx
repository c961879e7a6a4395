import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../api/client.ts";
import { useList } from "../../api/resources.ts";
import { useSession } from "../../api/session.ts";
import { addDays, toDay } from "../../format/days.ts";
import { useView } from "../../state/view.ts";
import { Icon } from "../../ui/icon.tsx";

/** How far back an event still counts as sent. */
const DAYS = 90;
const EVERY_MS = 3_000;

/** What a complete setup has. Each line ticks itself as soon as the data shows it. */
export function Checklist() {
  const { workspace, methods } = useSession();
  const { project } = useView();
  const members = useList<unknown>("/api/settings/members");
  const lines = [
    { done: useHas(project, undefined), text: "An event has arrived", how: "Add the code to your app and open it." },
    {
      done: useHas(project, "connect"),
      text: "A wallet has connected",
      how: "Connect one on your site. With wagmi, pass its config to the SDK.",
    },
    {
      done: useHas(project, "transaction"),
      text: "A transaction was sent",
      how: "The SDK sees those of the connected wallet.",
    },
    {
      done: useHas(project, "track"),
      text: "A custom event has arrived",
      how: 'Such as analytics.track("Swap", { volume, revenue }).',
    },
    ...(workspace.can.manageMembers
      ? [
          {
            done: (members.data?.length ?? 0) > 1,
            text: "Somebody else has joined",
            how: (
              <Link to="/app/settings" search={{ tab: "members" } as never}>
                Make an invite
              </Link>
            ),
          },
        ]
      : []),
    {
      done: methods.passkeys + methods.wallets > 0 || methods.oidc,
      text: "You have a second way to sign in",
      how: (
        <Link to="/app/settings" search={{ tab: "account" } as never}>
          Add a passkey or a wallet
        </Link>
      ),
    },
  ];
  const left = lines.filter(({ done }) => done !== true).length;
  return (
    <section className="panel start-panel" aria-label="Checklist">
      <h2>{left === 0 ? "All set" : `${lines.length - left} of ${lines.length} done`}</h2>
      <ul className="start-list">
        {lines.map(({ done, text, how }) => (
          <li key={text} className={done ? "done" : undefined}>
            <Icon name={done ? "check" : "circle"} />
            <span>
              {text}
              <span className="hidden">{done ? ": done" : ": not yet"}</span>
            </span>
            {done ? null : <small>{how}</small>}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function hasKey(project: string | undefined, type: string | undefined) {
  return ["activity", project, "has", type] as const;
}

/** Whether the project has an event of the type. Asks again until it has. */
function useHas(project: string | undefined, type: string | undefined): boolean {
  const day = toDay(Date.now());
  const query = { project_id: project, type, limit: 1, date_from: addDays(day, -DAYS), date_to: day };
  const { data } = useQuery({
    queryKey: hasKey(project, type),
    queryFn: async ({ signal }) =>
      (await call<{ data: readonly unknown[] }>({ path: "/v0/activity", query, signal })).data.length > 0,
    enabled: project !== undefined,
    refetchInterval: ({ state }) => (state.data === true ? false : EVERY_MS),
  });
  return data === true;
}
