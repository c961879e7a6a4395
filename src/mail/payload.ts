/** What the outbox keeps for a mail. It becomes a mail when it is sent, with the links of its recipient. */
export interface ConfirmPayload {
  readonly kind: "confirm";
  readonly addressId: string;
  readonly workspace: string;
}

/** Of an alert: see webhooks/channels/email.ts. */
export interface TextPayload {
  readonly kind?: undefined;
  readonly subject: string;
  readonly text: string;
  /** The line of the text that is a link. */
  readonly link?: string;
}

/** Whatever another room writes under its own kind. */
export interface OtherPayload {
  readonly kind: string;
  readonly [key: string]: unknown;
}

export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface WriteContext {
  /** Of the service, as its clients reach it. */
  readonly publicUrl: string;
  readonly unsubscribeUrl: string;
}

/** How mails of one kind are written. */
export type WriteMail = (payload: OtherPayload, context: WriteContext) => WrittenMail;
