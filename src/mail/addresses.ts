/**
 * The addresses of a workspace, each with what its owner has said:
 *
 *   (none) --ask--> asked --the owner's link--> confirmed --the owner--> stopped
 *                     '-------the owner--------------------------------> stopped
 *
 * Only a confirmed address gets anything but the mail that asks: members cannot mail strangers. What a member types is
 * no proof, also where it is the name of an account, which nobody has checked. A stopped one stays, so that it is not
 * asked again.
 */
import { ApiError } from "../contract/errors.ts";
import { MAIL_LIMITS } from "../contract/mail.ts";
import { lockWorkspace } from "../control/lock-rows.ts";
import type { Reader, Tx } from "../control/store.ts";
import { isId, newId } from "../lib/ids.ts";
import { DAY_MS } from "../lib/time.ts";
import { mailboxOf } from "../webhooks/mail-address.ts";
import { deleteRecipients } from "../webhooks/recipients.ts";
import { ofMailAddress } from "../webhooks/sources.ts";

export interface MailAddress {
  readonly id: string;
  readonly workspaceId: string;
  readonly address: string;
  readonly state: "asked" | "confirmed" | "stopped";
  readonly asks: number;
  readonly askedAtMs: number;
  readonly confirmedAtMs: number | null;
  readonly stoppedAtMs: number | null;
}

const COLUMNS = ["id", "workspace_id", "address", "state", "asks", "asked_at", "confirmed_at", "stopped_at"] as const;

/** In the order of the alphabet. */
export async function listAddresses(db: Reader, workspaceId: string): Promise<MailAddress[]> {
  const rows = await db
    .selectFrom("mail_addresses")
    .select(COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .orderBy("mailbox")
    .execute();
  return rows.map(toAddress);
}

export async function findAddress(db: Reader, workspaceId: string, address: string): Promise<MailAddress | undefined> {
  const row = await db
    .selectFrom("mail_addresses")
    .select(COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("mailbox", "=", mailboxOf(address))
    .executeTakeFirst();
  return row && toAddress(row);
}

/** Without a tenant: a link in a mail determines the workspace. */
export async function findLinkedAddress(db: Reader, id: string): Promise<MailAddress | undefined> {
  const row = await db.selectFrom("mail_addresses").select(COLUMNS).where("id", "=", id).executeTakeFirst();
  return row && toAddress(row);
}

/** The address, and whether its owner is to be asked now. */
export async function noteAsked(
  tx: Tx,
  workspaceId: string,
  { address, userId }: { address: string; userId: string | null },
  nowMs: number,
): Promise<{ address: MailAddress; isAsked: boolean }> {
  // First: of two that ask for a new address, the second one finds it.
  await lockWorkspace(tx, workspaceId);
  const known = await findAddress(tx, workspaceId, address);
  if (known === undefined)
    return { address: await insertAddress(tx, workspaceId, { address, userId }, nowMs), isAsked: true };
  const isEarly = nowMs - known.askedAtMs < MAIL_LIMITS.askEveryDays * DAY_MS;
  if (known.state !== "asked" || isEarly || known.asks >= MAIL_LIMITS.asks) return { address: known, isAsked: false };
  const asks = known.asks + 1;
  await tx
    .updateTable("mail_addresses")
    .set({ asks, asked_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", known.id)
    .execute();
  return { address: { ...known, asks, askedAtMs: nowMs }, isAsked: true };
}

async function insertAddress(
  tx: Tx,
  workspaceId: string,
  { address, userId }: { address: string; userId: string | null },
  nowMs: number,
): Promise<MailAddress> {
  await checkRoom(tx, workspaceId, nowMs);
  const row = {
    id: newId("mad"),
    workspace_id: workspaceId,
    address,
    state: "asked" as const,
    asks: 1,
    asked_at: nowMs,
    confirmed_at: null,
    stopped_at: null,
  };
  await tx
    .insertInto("mail_addresses")
    .values({ ...row, mailbox: mailboxOf(address), created_by: userId, created_at: nowMs })
    .execute();
  return toAddress(row);
}

/** Counted in the store, so that the limit holds for all nodes and after a restart. */
async function checkRoom(tx: Tx, workspaceId: string, nowMs: number): Promise<void> {
  const count = async (sinceMs: number) => {
    const { n } = await tx
      .selectFrom("mail_addresses")
      .select((is) => is.fn.countAll<number | string>().as("n"))
      .where("workspace_id", "=", workspaceId)
      .where("created_at", ">", sinceMs)
      .executeTakeFirstOrThrow();
    return Number(n);
  };
  const { addressesPerWorkspace: most, asksPerDay } = MAIL_LIMITS;
  if ((await count(Number.MIN_SAFE_INTEGER)) >= most)
    throw new ApiError("CONFLICT", `A workspace has at most ${most} addresses of mail: delete some`);
  if ((await count(nowMs - DAY_MS)) >= asksPerDay)
    throw new ApiError("TOO_MANY_REQUESTS", `A workspace may ask ${asksPerDay} new addresses of mail in 24 hours`);
}

/** By the owner's link. False where the link is too old or the owner has stopped it. */
export async function confirmAddress(tx: Tx, { id, state, askedAtMs }: MailAddress, nowMs: number): Promise<boolean> {
  if (state === "confirmed") return true;
  if (state === "stopped" || nowMs - askedAtMs > MAIL_LIMITS.confirmDays * DAY_MS) return false;
  await tx
    .updateTable("mail_addresses")
    .set({ state: "confirmed", confirmed_at: nowMs })
    .where("id", "=", id)
    // Not one that its owner has stopped in the meantime.
    .where("state", "=", "asked")
    .execute();
  return true;
}

export async function stopAddress(tx: Tx, { id }: MailAddress, nowMs: number): Promise<void> {
  await tx
    .updateTable("mail_addresses")
    .set({ state: "stopped", stopped_at: nowMs })
    .where("id", "=", id)
    .where("state", "!=", "stopped")
    .execute();
}

/**
 * A stopped one stays: without it, the next member would ask its owner again. So does one whose owner was asked lately:
 * whoever could forget it at once could ask a stranger again and again.
 */
export async function deleteAddress(tx: Tx, workspaceId: string, id: string, nowMs: number): Promise<void> {
  const gone = isId("mad", id)
    ? await tx
        .deleteFrom("mail_addresses")
        .where("workspace_id", "=", workspaceId)
        .where("id", "=", id)
        .returning(["state", "asked_at"])
        .executeTakeFirst()
    : undefined;
  if (gone === undefined) throw new ApiError("NOT_FOUND", "There is no such address");
  if (gone.state === "stopped")
    throw new ApiError(
      "CONFLICT",
      "Its owner wants no mail of this workspace: the address stays, so that nobody asks again",
    );
  const { confirmDays } = MAIL_LIMITS;
  if (gone.state === "asked" && nowMs - gone.asked_at < confirmDays * DAY_MS)
    throw new ApiError(
      "CONFLICT",
      `Its owner was asked and has not answered yet: the address stays for ${confirmDays} days, so that nobody asks again`,
    );
  await deleteRecipients(tx, workspaceId, ofMailAddress(id), nowMs);
}

interface Row {
  id: string;
  workspace_id: string;
  address: string;
  state: MailAddress["state"];
  asks: number;
  asked_at: number;
  confirmed_at: number | null;
  stopped_at: number | null;
}

function toAddress(row: Row): MailAddress {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    address: row.address,
    state: row.state,
    asks: row.asks,
    askedAtMs: row.asked_at,
    confirmedAtMs: row.confirmed_at,
    stoppedAtMs: row.stopped_at,
  };
}
