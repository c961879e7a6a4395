/** A mail, and the server that sends it. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  readonly isSecure: boolean;
  /** Empty for a server that asks for none. */
  readonly user: string;
  readonly password: string;
  /** Whether the connection may be without TLS. */
  readonly allowPlain: boolean;
  /** `Name <address>`, or an address. */
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `Sextant <reports@example.com>` -> `reports@example.com` */
export function addressOf(from: string): string {
  return /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim();
}
