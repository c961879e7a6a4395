/** Asks the owner of an address whether they want mail of a workspace: through the outbox, as everything that is sent. */
import type { SecretBox } from "../control/secret-box.ts";
import type { Tx } from "../control/store.ts";
import { addressOfTarget, mailRecipient } from "../webhooks/mail-address.ts";
import { listRecipients, replaceRecipients } from "../webhooks/recipients.ts";
import { recordMessage } from "../webhooks/record-message.ts";
import { ofMailAddress, type Source } from "../webhooks/sources.ts";
import { type MailAddress, noteAsked } from "./addresses.ts";
import type { ConfirmPayload } from "./payload.ts";

/** Resolves with the address as it is: an owner who has said yes or no is not asked again. */
export async function askAddress(
  tx: Tx,
  workspaceId: string,
  wanted: { address: string; userId: string | null },
  { box, nowMs }: { box: SecretBox; nowMs: number },
): Promise<MailAddress> {
  const { address, isAsked } = await noteAsked(tx, workspaceId, wanted, nowMs);
  if (!isAsked) return address;
  const source = ofMailAddress(address.id);
  const target = mailRecipient(address.address);
  const recipients = target === undefined ? [] : [{ ...target, secret: "" }];
  await replaceRecipients(tx, workspaceId, source, recipients, { box, nowMs });
  const payload: ConfirmPayload = { kind: "confirm", addressId: address.id, workspace: await nameOf(tx, workspaceId) };
  const message = {
    id: `${address.id} ${address.asks}`,
    type: "mail.confirm",
    body: {},
    thinBody: {},
    title: "",
    lines: [],
    payloads: { email: JSON.stringify(payload) },
  };
  await recordMessage(tx, workspaceId, { source, message, causeId: address.id, nowMs });
  return address;
}

/** Asks the owners of all addresses that a source names, so that they can answer before its first message. */
export async function askRecipients(
  tx: Tx,
  workspaceId: string,
  source: Source,
  { box, userId, nowMs }: { box: SecretBox; userId: string | null; nowMs: number },
): Promise<void> {
  for (const { channel, targetUrl } of await listRecipients(tx, workspaceId, source))
    if (channel === "email")
      await askAddress(tx, workspaceId, { address: addressOfTarget(targetUrl), userId }, { box, nowMs });
}

async function nameOf(tx: Tx, workspaceId: string): Promise<string> {
  const { name } = await tx
    .selectFrom("workspaces")
    .select("name")
    .where("id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  return name;
}
