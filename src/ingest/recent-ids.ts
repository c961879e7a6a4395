/**
 * Message ids seen lately by this process, so that `?detail=true` can name a duplicate where it is already known. Only a hint:
 * what is counted once is decided by the warehouse. Two generations of 50,000 hold about 10 MB of usual ids (36 characters) and
 * 30 MB of the longest ones: a longer one is not remembered, so a duplicate of it is called accepted.
 */
export interface RecentIds {
  /** True when the id was there already. */
  seen(projectId: string, messageId: string): boolean;
}

const GENERATION = 50_000;
const LONGEST = 128;

export function createRecentIds(size = GENERATION): RecentIds {
  let young = new Set<string>();
  let old = new Set<string>();
  return {
    seen(projectId, messageId) {
      if (messageId.length > LONGEST) return false;
      const id = projectId + messageId;
      if (young.has(id)) return true;
      const known = old.has(id);
      young.add(id);
      if (young.size >= size) {
        old = young;
        young = new Set();
      }
      return known;
    },
  };
}
