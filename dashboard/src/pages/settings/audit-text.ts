/** The audit log names the request (its operationId) or the command. Here it is said in words. */

const PAST: Readonly<Record<string, string>> = {
  accept: "Accepted",
  add: "Added",
  change: "Changed",
  create: "Created",
  delete: "Deleted",
  disable: "Disabled",
  enable: "Enabled",
  end: "Ended",
  remove: "Removed",
  rename: "Renamed",
  replace: "Changed",
  reset: "Reset",
  revoke: "Revoked",
  subscribe: "Added",
  test: "Tested",
  unsubscribe: "Removed",
};

const WHOLE: Readonly<Record<string, string>> = {
  signIn: "Signed in",
  signInFailed: "Failed to sign in",
  signInLocked: "Too many attempts to sign in",
  signOut: "Signed out",
  setUp: "Made the first account",
  createKey: "Created an API key",
  revokeKey: "Revoked an API key",
  createBiToken: "Created a BI token",
  revokeBiToken: "Revoked a BI token",
  addOidc: "Added the sign-in provider",
  removeOidc: "Removed the sign-in provider",
  replayParked: "Replayed parked events",
  redeliver: "Sent a delivery again",
  redeliverOfWebhook: "Sent a delivery again",
  recoverDeliveries: "Sent failed deliveries again",
  rotateWebhookSecret: "Made a new webhook secret",
};

/** createWriteKey -> Created write key. */
export function actionText(action: string): string {
  const known = WHOLE[action];
  if (known !== undefined) return known;
  const [verb = "", ...rest] = action
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[ .]/);
  return [PAST[verb] ?? `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)}`, ...rest].join(" ");
}

/** The details without the name, which stands in a column of its own. */
export function detailsText(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .filter(([key, value]) => key !== "name" && value !== null && value !== "")
    .map(([key, value]) => `${wordsOf(key)} ${valueText(value)}`)
    .join(", ");
}

function wordsOf(key: string): string {
  return key
    .replace(/Id$/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.join(" ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value : JSON.stringify(value);
}
