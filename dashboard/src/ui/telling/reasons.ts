/** What became of a message, in words. */

const REASONS: Readonly<Record<string, string>> = {
  no_mail_server: "the installation has no mail server",
  unconfirmed: "its owner has not confirmed the address yet",
  unsubscribed: "its owner wants no more of it",
  limited: "the workspace has sent as many mails as it may in a day",
  unsaved: "it is no recipient of the alert yet",
  address: "its address is not public",
};

/** Undefined: there was no answer, for a reason that says little to people. */
function reasonText(reason: string | null): string | undefined {
  return REASONS[reason ?? ""];
}

interface Sent {
  readonly state: string;
  readonly status: number | null;
  readonly reason: string | null;
}

/** `delivered`; `pending, its owner has not confirmed the address yet`; `failed, the answer was 404` */
export function deliveryText({ state, status, reason }: Sent): string {
  if (state === "delivered" || (status === null && reason === null)) return state;
  return `${state}, ${reason === null ? `the answer was ${status}` : (reasonText(reason) ?? "there was no answer")}`;
}

/** What became of the sample that one recipient of an alert got. */
export function testText({ url, ok, status, reason }: Omit<Sent, "state"> & { url: string; ok: boolean }): string {
  const isMail = /^[^\s/]+@[^\s/]+$/.test(url);
  if (status !== null) return isMail ? (ok ? "is mailed" : `was refused with ${status}`) : `answered ${status}`;
  const why = reasonText(reason) ?? (isMail ? "the mail server did not answer" : undefined);
  return why === undefined ? "did not answer" : `got nothing: ${why}`;
}
