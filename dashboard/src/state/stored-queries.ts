/** SQL that a user keeps in this browser, by user and project. The sign-out removes it: others may use the browser. */

const PREFIX = "sextant.queries";

export const queriesKey = (userId: string, project: string) => `${PREFIX}.${userId}.${project}`;

export function forgetQueries(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // Without storage there is nothing to remove.
  }
}
