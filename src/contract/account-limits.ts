/** Limits of accounts and sign-in. Rates are settings (installation/config.ts). */
export const ACCOUNT_LIMITS = {
  nameChars: 200,
  /** No rules on kinds of characters: they make passwords worse. The upper bound keeps hashing cheap. */
  passwordMinChars: 10,
  passwordMaxChars: 256,
  sessionDays: 30,
  sessionsPerUser: 50,
  passkeysPerUser: 20,
  walletsPerUser: 20,
  membersPerWorkspace: 1_000,
  openInvites: 100,
  inviteDays: 7,
  resetHours: 24,
  /** How long a challenge of a passkey, a wallet or a provider can be answered. */
  challengeMinutes: 10,
  /** How long after a sign-in another way to sign in can be added. */
  freshMinutes: 5,
  /** How long a browser is known as one in which somebody signed in. */
  knownDays: 365,
  auditDays: 365,
} as const;
