import { type Alert, useAlertWrite } from "../../api/alerts.ts";
import type { ApiRequest } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { alertText } from "../../format/alert-words.ts";
import { agoText } from "../../format/dates.ts";
import { useSetSearch } from "../../state/view.ts";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { RowTable } from "../../ui/row-table.tsx";
import { ActDialog } from "../../ui/telling/act-dialog.tsx";
import { useDialog } from "../../ui/use-dialog.ts";
import { AlertState, isMuted } from "./alert-state.tsx";
import { TestDialog } from "./test-dialog.tsx";

const COLUMNS = ["Name", "Looks for", "State", "Last fired", "Tells"] as const;

export function AlertList({ alerts }: { alerts: readonly Alert[] }) {
  const { workspace } = useSession();
  return (
    <section className="panel telling-list alert-list" aria-label="Alerts">
      <RowTable label="Alerts" columns={COLUMNS} hasActions={workspace.can.edit}>
        {alerts.map((alert) => (
          <AlertRow key={alert.id} alert={alert} />
        ))}
      </RowTable>
    </section>
  );
}

function AlertRow({ alert }: { alert: Alert }) {
  const { workspace } = useSession();
  const set = useSetSearch();
  const { id, name, last_fired_at } = alert;
  return (
    <tr>
      <td data-label="Name">
        <button type="button" className="link-button" onClick={() => set({ alert: id })}>
          {name}
        </button>
      </td>
      <td data-label="Looks for">{alertText(alert)}</td>
      <td data-label="State">
        <AlertState alert={alert} />
      </td>
      <td data-label="Last fired">
        {last_fired_at === null ? (
          <span className="note">never</span>
        ) : (
          <time dateTime={last_fired_at}>{agoText(Date.parse(last_fired_at), Date.now())}</time>
        )}
      </td>
      <td data-label="Tells">{recipientsText(alert)}</td>
      {workspace.can.edit ? (
        <td className="row-actions">
          <Actions alert={alert} />
        </td>
      ) : null}
    </tr>
  );
}

function recipientsText({ recipient }: Alert): string {
  const counted = recipient.filter(({ value }) => value.length > 0);
  if (counted.length === 0) return "the bell alone";
  return counted.map(({ type, value }) => (value.length === 1 ? type : `${value.length} × ${type}`)).join(", ");
}

const MUTES = [
  ["Mute for an hour", 1],
  ["Mute for a day", 24],
  ["Mute for a week", 168],
] as const;

function Actions({ alert }: { alert: Alert }) {
  const set = useSetSearch();
  const { asked, ask, close } = useDialog<"delete" | "test">();
  const path = `/v0/alerts/${alert.id}`;
  const patch = useAlertWrite<Alert, object>((body) => ({ method: "PATCH", path, body }));
  const mute = (hours: number | null) =>
    patch.mutate({ muted_until: hours === null ? null : new Date(Date.now() + hours * 3_600_000).toISOString() });
  return (
    <>
      <Menu
        trigger={
          <button type="button" className="button ghost square" aria-label={`${alert.name}: more`}>
            <Icon name="more" />
          </button>
        }
      >
        <MenuItem icon="edit" onSelect={() => set({ edit: alert.id })}>
          Edit
        </MenuItem>
        <MenuItem icon="play" onSelect={() => ask("test")}>
          Send a test
        </MenuItem>
        <MenuLine />
        {isMuted(alert, Date.now()) ? (
          <MenuItem icon="bell" onSelect={() => mute(null)}>
            Tell again
          </MenuItem>
        ) : (
          MUTES.map(([words, hours]) => (
            <MenuItem key={hours} icon="pause" onSelect={() => mute(hours)}>
              {words}
            </MenuItem>
          ))
        )}
        <MenuItem
          icon={alert.status === "active" ? "stop" : "play"}
          onSelect={() => patch.mutate({ status: alert.status === "active" ? "inactive" : "active" })}
        >
          {alert.status === "active" ? "Switch off" : "Switch on"}
        </MenuItem>
        <MenuItem icon="trash" danger onSelect={() => ask("delete")}>
          Delete
        </MenuItem>
      </Menu>
      <FormFailure failure={patch.error} />
      {asked === "test" ? <TestDialog alert={alert} onClose={close} /> : null}
      {asked === "delete" ? <DeleteAlert alert={alert} request={{ method: "DELETE", path }} onClose={close} /> : null}
    </>
  );
}

function DeleteAlert(props: { alert: Alert; request: ApiRequest; onClose: () => void }) {
  const { alert, request, onClose } = props;
  const remove = useAlertWrite<number>(() => request, onClose);
  return (
    <ActDialog
      title={`Delete ${alert.name}?`}
      {...{ act: "Delete it", isDanger: true, leave: "Keep it", change: remove, onClose }}
    >
      <p>It tells nobody any more, and its history goes.</p>
    </ActDialog>
  );
}
