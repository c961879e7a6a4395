import { MailLinkParams } from "../../contract/mail.ts";
import type { ControlStore } from "../../control/store.ts";
import { findWorkspace } from "../../control/tenants.ts";
import { type Answer, type Route, sharedRoute } from "../../http/route.ts";
import { findLinkedAddress, stopAddress } from "../../mail/addresses.ts";
import type { MailLinks } from "../../mail/links.ts";
import { confirm, findLinkedRecipient, stopAll, unsubscribe } from "../../mail/use-link.ts";
import { LINK_PAGES, pageAnswer } from "./link-page.ts";

export interface MailLinkNeeds {
  store: ControlStore;
  mailLinks: MailLinks;
  wakeDelivery: () => void;
}

const COMMON = { tag: "Mail", access: "open", perReader: true, params: MailLinkParams } as const;

/** What people say by the links of a mail, without an account. A link that was not made here does not exist. */
export function mailLinkRoutes(needs: MailLinkNeeds): Route[] {
  return [
    sharedRoute({
      ...COMMON,
      method: "GET",
      path: "/m/:mailToken",
      operationId: "getMailLink",
      summary: "The page behind the link of a mail",
      description: "Asks, and changes nothing.",
      answers: { 200: "text/html" },
      share: ({ params }) => show(needs, params.mailToken),
    }),
    sharedRoute({
      ...COMMON,
      method: "POST",
      path: "/m/:mailToken",
      operationId: "useMailLink",
      summary: "Unsubscribe, or confirm an address",
      description:
        "What the page sends, or a mail client by itself (RFC 8058). A link that unsubscribes answers the same however often it is used.",
      answers: { 200: "text/html" },
      share: ({ params, body, nowMs }) => act(needs, params.mailToken, body, nowMs),
    }),
  ];
}

async function show({ store, mailLinks }: MailLinkNeeds, token: string): Promise<Answer> {
  const link = mailLinks.read(token);
  if (link === undefined) return unknown();
  if (link.purpose === "unsubscribe") return pageAnswer(LINK_PAGES.unsubscribe);
  const address = await findLinkedAddress(store.read, link.id);
  if (address === undefined) return unknown();
  if (address.state === "confirmed") return pageAnswer(LINK_PAGES.confirmed(address.address));
  if (address.state === "stopped") return pageAnswer(LINK_PAGES.stopped);
  const workspace = await findWorkspace(store.read, address.workspaceId);
  return pageAnswer(LINK_PAGES.confirm(address.address, workspace?.name ?? ""));
}

async function act(needs: MailLinkNeeds, token: string, body: unknown, nowMs: number): Promise<Answer> {
  const link = needs.mailLinks.read(token);
  if (link === undefined) return unknown();
  const what = body instanceof URLSearchParams ? body.get("what") : null;
  return link.purpose === "unsubscribe"
    ? actOnRecipient(needs, link.id, what, nowMs)
    : actOnAddress(needs, link.id, what, nowMs);
}

async function actOnRecipient(
  { store }: MailLinkNeeds,
  webhookId: string,
  what: string | null,
  nowMs: number,
): Promise<Answer> {
  await store.write(async (tx) => {
    const recipient = await findLinkedRecipient(tx, webhookId);
    if (recipient === undefined) return;
    await unsubscribe(tx, recipient.workspaceId, webhookId, nowMs);
    if (what === "stop") await stopAll(tx, recipient.workspaceId, recipient.address, nowMs);
  });
  return pageAnswer(what === "stop" ? LINK_PAGES.stopped : LINK_PAGES.unsubscribed);
}

async function actOnAddress(
  { store, wakeDelivery }: MailLinkNeeds,
  addressId: string,
  what: string | null,
  nowMs: number,
): Promise<Answer> {
  const page = await store.write(async (tx) => {
    const address = await findLinkedAddress(tx, addressId);
    if (address === undefined) return undefined;
    if (what === "stop") await stopAddress(tx, address, nowMs);
    if (what === "stop" || address.state === "stopped") return LINK_PAGES.stopped;
    return (await confirm(tx, address, nowMs)) ? LINK_PAGES.confirmed(address.address) : LINK_PAGES.tooOld;
  });
  wakeDelivery();
  return page === undefined ? unknown() : pageAnswer(page);
}

function unknown(): Answer {
  return pageAnswer(LINK_PAGES.unknown, 404);
}
