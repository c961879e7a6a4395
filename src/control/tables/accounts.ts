/** People, how they sign in, and what they did. */
import type { Fixed, Millis } from "./column.ts";

interface Users {
  id: Fixed<string>;
  /** A name or an email address, as its owner writes it. */
  name: string;
  /** The name as it is compared: see accounts/users.ts. */
  name_key: string;
  /** A PHC string; null for people who sign in by other means. */
  password_hash: string | null;
  created_at: Fixed<Millis>;
  disabled_at: Millis | null;
}

interface Members {
  workspace_id: Fixed<string>;
  user_id: Fixed<string>;
  /** See contract/member-roles.ts. */
  role: string;
  created_at: Fixed<Millis>;
}

interface Sessions {
  /** For lists; the cookie holds another text, of which only `hash` is stored. */
  id: Fixed<string>;
  hash: Fixed<string>;
  user_id: Fixed<string>;
  method: Fixed<string>;
  user_agent: Fixed<string>;
  created_at: Fixed<Millis>;
  last_seen_at: Millis;
  expires_at: Millis;
}

interface Passkeys {
  id: Fixed<string>;
  user_id: Fixed<string>;
  credential_id: Fixed<string>;
  /** COSE, in base64url. */
  public_key: Fixed<string>;
  /** Uses that the authenticator has counted; many count none and stay at 0. */
  counter: number;
  /** Space-separated. */
  transports: Fixed<string>;
  name: string;
  created_at: Fixed<Millis>;
  last_used_at: Millis | null;
}

interface Wallets {
  id: Fixed<string>;
  user_id: Fixed<string>;
  /** In lower case. */
  address: Fixed<string>;
  /** The chain of a contract wallet; 0 for an ordinary account, which is the same on every chain. */
  chain_id: Fixed<number>;
  created_at: Fixed<Millis>;
}

/** Accounts at an OpenID Connect provider. */
interface Identities {
  issuer: Fixed<string>;
  subject: Fixed<string>;
  user_id: Fixed<string>;
  created_at: Fixed<Millis>;
}

/** Challenges are signed, not stored. A used one is kept here until it expires, so that it is used once. */
interface UsedChallenges {
  id: Fixed<string>;
  expires_at: Fixed<Millis>;
}

interface OneTimeLinks {
  id: Fixed<string>;
  hash: Fixed<string>;
  kind: Fixed<"invite" | "reset">;
  /** Of an invite. */
  workspace_id: Fixed<string | null>;
  role: Fixed<string | null>;
  /** Of a reset. */
  user_id: Fixed<string | null>;
  note: Fixed<string>;
  created_by: Fixed<string>;
  created_at: Fixed<Millis>;
  expires_at: Fixed<Millis>;
}

interface AuditLog {
  id: Fixed<string>;
  /** Null for what a user does to their own account. */
  workspace_id: Fixed<string | null>;
  at: Fixed<Millis>;
  /** Null for the command line. */
  user_id: Fixed<string | null>;
  /** The user's name at that time. */
  actor: Fixed<string>;
  action: Fixed<string>;
  /** The id of what was changed; renamed if that must not be named any longer. */
  target: string;
  /** JSON. */
  details: Fixed<string>;
}

export interface AccountTables {
  users: Users;
  members: Members;
  sessions: Sessions;
  passkeys: Passkeys;
  wallets: Wallets;
  identities: Identities;
  used_challenges: UsedChallenges;
  one_time_links: OneTimeLinks;
  audit_log: AuditLog;
}
