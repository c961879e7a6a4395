import type { Static } from "typebox";
import { Type } from "./type.ts";

export const MAIL_LIMITS = {
  addressChars: 254,
  addressesPerWorkspace: 200,
  /** New addresses that a workspace may ask in 24 hours: strangers get at most as many mails. */
  asksPerDay: 20,
  /** Mails that ask one address, in all, and the days between two of them. */
  asks: 3,
  askEveryDays: 1,
  /** How long a link that confirms works. */
  confirmDays: 7,
} as const;

const time = Type.String({ format: "date-time" });
const nullableTime = Type.Union([time, Type.Null()]);

export const MailAddressParams = Type.Object({ addressId: Type.String({ minLength: 1, maxLength: 128 }) });
export const MailAddressBody = Type.Object({
  address: Type.String({
    minLength: 3,
    maxLength: MAIL_LIMITS.addressChars,
    description: "One address, without a name.",
    example: "ada@example.com",
  }),
});

export const MailAddressView = Type.Object({
  id: Type.String(),
  address: Type.String(),
  state: Type.String({
    enum: ["asked", "confirmed", "stopped"],
    description:
      "`asked`: a mail asks its owner to confirm it, and nothing else is sent. `stopped`: its owner wants no mail of this workspace any more.",
  }),
  asked_at: time,
  confirmed_at: nullableTime,
  stopped_at: nullableTime,
});
export type MailAddressView = Static<typeof MailAddressView>;
export const MailAddressListAnswer = Type.Object({
  data: Type.Array(MailAddressView),
  is_configured: Type.Boolean({
    description: "Whether the installation has a mail server: without one nothing is sent.",
  }),
});
export const MailAddressDeletedAnswer = Type.Object({ id: Type.String() });

export const MailLinkParams = Type.Object({ mailToken: Type.String({ minLength: 1, maxLength: 256 }) });
