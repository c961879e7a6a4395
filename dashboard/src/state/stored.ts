/** What a user keeps in this browser, by user and project. The sign-out removes it: others may use the browser. */

const QUERIES = "sextant.queries";
const START_KEY = "sextant.start-key";

export const queriesKey = (userId: string, project: string) => `${QUERIES}.${userId}.${project}`;

export function forgetStored(): void {
  try {
    for (const storage of [localStorage, sessionStorage])
      for (const key of Object.keys(storage))
        if (key.startsWith(QUERIES) || key.startsWith(START_KEY)) storage.removeItem(key);
  } catch {
    // Without storage there is nothing to remove.
  }
}

/** The write key that this tab made or was given, so that a reload of the page "Connect" needs no second one. */
export function findStartKey(project: string): string {
  try {
    return sessionStorage.getItem(`${START_KEY}.${project}`) ?? "";
  } catch {
    return "";
  }
}

export function keepStartKey(project: string, key: string): void {
  try {
    sessionStorage.setItem(`${START_KEY}.${project}`, key);
  } catch {
    // It lasts as long as the page.
  }
}
