import type { ReactNode } from "react";
import type { Profile } from "../../api/profiles.ts";
import { Address } from "../../ui/address.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { ORDERS, type Order } from "./asked.ts";
import { dayOf, firstSource, labelText, numberOf, textOf, timeOf, UNKNOWN } from "./profile-text.ts";
import "../../ui/row-table.css";

interface Column {
  name: string;
  order?: Order;
  isNumber?: true;
  cell: (profile: Profile) => ReactNode;
}

const COLUMNS: readonly Column[] = [
  { name: "Wallet", cell: ({ address }) => <Address isSeen address={address} canCopy /> },
  { name: ORDERS.first_seen, order: "first_seen", cell: ({ first_seen }) => <Day time={first_seen} /> },
  { name: ORDERS.last_seen, order: "last_seen", cell: ({ last_seen }) => <Day time={last_seen} /> },
  {
    name: ORDERS.num_sessions,
    order: "num_sessions",
    isNumber: true,
    cell: (profile) => numberOf(profile, profile.num_sessions, "count"),
  },
  {
    name: "Transactions",
    isNumber: true,
    cell: (profile) => numberOf(profile, profile.transactions, "count"),
  },
  {
    name: ORDERS.volume,
    order: "volume",
    isNumber: true,
    cell: (profile) => numberOf(profile, profile.volume, "amount"),
  },
  {
    name: ORDERS.revenue,
    order: "revenue",
    isNumber: true,
    cell: (profile) => numberOf(profile, profile.revenue, "amount"),
  },
  { name: "Lifecycle", cell: ({ lifecycle }) => textOf("lifecycle", lifecycle) },
  { name: "First source", cell: firstSource },
  { name: "Labels", cell: ({ labels = [] }) => labels.map(labelText).join(", ") || UNKNOWN },
];

/** The page of the wallet has the time of day. */
function Day({ time }: { time: string | null }) {
  if (time === null) return UNKNOWN;
  return (
    <time dateTime={time} title={timeOf(time)}>
      {dayOf(time)}
    </time>
  );
}

interface WalletTableProps {
  profiles: readonly Profile[];
  order: Order;
  dir: "asc" | "desc";
  onOrder: (order: Order) => void;
}

export function WalletTable({ profiles, order, dir, onOrder }: WalletTableProps) {
  return (
    <ScrollRegion label="Wallets, table" className="table-scroll wallets-scroll">
      <table className="table row-table wallet-table">
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <Head
                key={column.name}
                column={column}
                dir={column.order === order ? dir : undefined}
                onOrder={onOrder}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {profiles.map((profile) => (
            <tr key={profile.address}>
              {COLUMNS.map(({ name, isNumber, cell }) => (
                <td key={name} data-label={name} className={isNumber ? "number" : undefined}>
                  {cell(profile)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

interface HeadProps {
  column: Column;
  /** Of the column that orders the rows. */
  dir: "asc" | "desc" | undefined;
  onOrder: (order: Order) => void;
}

function Head({ column: { name, order, isNumber }, dir, onOrder }: HeadProps) {
  const sorted = dir === undefined ? undefined : dir === "asc" ? "ascending" : "descending";
  return (
    <th scope="col" className={isNumber ? "number" : undefined} aria-sort={sorted}>
      {order === undefined ? (
        name
      ) : (
        <button type="button" className="order-button" onClick={() => onOrder(order)}>
          {name}
          {dir === undefined ? null : <Icon name={dir === "asc" ? "up" : "down"} size={12} />}
        </button>
      )}
    </th>
  );
}
