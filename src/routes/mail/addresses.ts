import {
  MAIL_LIMITS,
  MailAddressBody,
  MailAddressDeletedAnswer,
  MailAddressListAnswer,
  MailAddressParams,
  MailAddressView,
} from "../../contract/mail.ts";
import { validationError } from "../../contract/validation-error.ts";
import type { SecretBox } from "../../control/secret-box.ts";
import { type Route, readRoute, writeRoute } from "../../http/route.ts";
import { deleteAddress, listAddresses, type MailAddress } from "../../mail/addresses.ts";
import { askAddress } from "../../mail/ask.ts";
import { isMailAddress } from "../../webhooks/mail-address.ts";

export interface MailAddressNeeds {
  mail: { box: SecretBox; isConfigured: boolean };
}

const TAG = "Mail";

/** The addresses to which a workspace may send, each with what its owner has said. */
export function mailAddressRoutes(needs: MailAddressNeeds): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/v0/mail_addresses",
      operationId: "listMailAddresses",
      tag: TAG,
      summary: "List the addresses of mail",
      access: "alerts:read",
      answers: { 200: MailAddressListAnswer },
      async handle({ db, key }) {
        const data = (await listAddresses(db, key.workspaceId)).map(view);
        return { status: 200, body: { data, is_configured: needs.mail.isConfigured } };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v0/mail_addresses",
      operationId: "askMailAddress",
      tag: TAG,
      summary: "Ask the owner of an address",
      description: `A mail asks them to confirm it; until then nothing else is sent there. One who has not answered is asked again, at most ${MAIL_LIMITS.asks} times and once a day. At most ${MAIL_LIMITS.asksPerDay} new addresses in 24 hours.`,
      access: "alerts:write",
      body: MailAddressBody,
      answers: { 201: MailAddressView },
      wakesDelivery: true,
      async handle({ key, member, parts: { body }, nowMs }, tx) {
        const address = body.address.trim();
        if (!isMailAddress(address)) throw validationError(new Map([["body.address", "must be an address of mail"]]));
        const wanted = { address, userId: member?.userId ?? null };
        const asked = await askAddress(tx, key.workspaceId, wanted, { box: needs.mail.box, nowMs });
        return { status: 201, body: view(asked), audit: { target: asked.id } };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v0/mail_addresses/:addressId",
      operationId: "deleteMailAddress",
      tag: TAG,
      summary: "Forget an address",
      description: `Its owner is asked again before anything is sent there. One that its owner has stopped stays, and one that was asked and has not answered stays for ${MAIL_LIMITS.confirmDays} days.`,
      access: "alerts:write",
      params: MailAddressParams,
      answers: { 200: MailAddressDeletedAnswer },
      async handle({ key, parts: { params }, nowMs }, tx) {
        await deleteAddress(tx, key.workspaceId, params.addressId, nowMs);
        return { status: 200, body: { id: params.addressId } };
      },
    }),
  ];
}

function view({ id, address, state, askedAtMs, confirmedAtMs, stoppedAtMs }: MailAddress): MailAddressView {
  return {
    id,
    address,
    state,
    asked_at: timeOf(askedAtMs),
    confirmed_at: orNull(confirmedAtMs),
    stopped_at: orNull(stoppedAtMs),
  };
}

const timeOf = (ms: number) => new Date(ms).toISOString();
const orNull = (ms: number | null) => (ms === null ? null : timeOf(ms));
