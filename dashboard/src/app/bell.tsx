import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { NOTIFICATION_LIMITS } from "../../../src/contract/alert-limits.ts";
import { type Notification, useMarkRead, useNotifications } from "../api/alerts.ts";
import { agoText } from "../format/dates.ts";
import { firingText } from "../format/firing-words.ts";
import { useView } from "../state/view.ts";
import { Icon } from "../ui/icon.tsx";
import { Popover } from "../ui/popover.tsx";

/** What alerts of the project have told since this person last looked. */
export function Bell() {
  const { project } = useView();
  const { data } = useNotifications(project);
  const markRead = useMarkRead(project);
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  if (data === undefined) return null;
  const { unread, items } = data;
  const change = (isOpen: boolean) => {
    setOpen(isOpen);
    const [newest] = items;
    // What was open is seen: it stays marked until the list is closed.
    if (!isOpen && unread > 0 && newest !== undefined) markRead.mutate(newest.createdAt);
  };
  const go = (alert?: string) => {
    change(false);
    void navigate({ to: "/app/alerts", search: { alert, edit: undefined } as never });
  };
  const words = unread === 0 ? "Notifications" : `Notifications: ${countText(unread)} new`;
  return (
    <Popover
      label="Notifications"
      open={open}
      onOpenChange={change}
      trigger={
        <button type="button" className="button ghost square bell" aria-label={words}>
          <Icon name="bell" />
          {unread > 0 ? (
            <span className="bell-count" aria-hidden="true">
              {countText(unread)}
            </span>
          ) : null}
        </button>
      }
    >
      <div className="bell-list">
        {items.length === 0 ? <p className="note">No alert has fired yet.</p> : null}
        <ul>
          {items.map((item) => (
            <li key={item.id}>
              <BellItem item={item} onOpen={() => go(item.alertId)} />
            </li>
          ))}
        </ul>
        <button type="button" className="button small" onClick={() => go()}>
          All alerts
        </button>
      </div>
    </Popover>
  );
}

function BellItem({ item, onOpen }: { item: Notification; onOpen: () => void }) {
  const { name, createdAt, isUnread } = item;
  return (
    <button type="button" className="bell-item" onClick={onOpen}>
      <strong>
        {isUnread ? <span className="hidden">New: </span> : null}
        {name}
      </strong>
      <span>{firingText(item)}</span>
      <time dateTime={createdAt}>{agoText(Date.parse(createdAt), Date.now())}</time>
      {isUnread ? <span className="bell-dot" aria-hidden="true" /> : null}
    </button>
  );
}

function countText(count: number): string {
  const { counted } = NOTIFICATION_LIMITS;
  return count > counted ? `${counted}+` : String(count);
}
