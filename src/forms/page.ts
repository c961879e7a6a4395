export interface Paging {
  page: number;
  size: number;
}

export type Page<T> = Paging & { data: T[]; total: number; has_more: boolean };

/** The limit of one answer, except for a single larger entry: 200 submissions of 512 KiB would be 100 MiB. */
const PAGE_BYTES = 8 * 1024 * 1024;

export function windowOf({ page, size }: Paging): { limit: number; offset: number } {
  return { limit: size, offset: (page - 1) * size };
}

/**
 * The requested page if its entries are small enough, otherwise the largest smaller page that begins at the same entry.
 * The answer states its page and size, so a client that continues with the next page of that size misses nothing.
 */
export function fitPage(paging: Paging, entryBytes: readonly number[], limit = PAGE_BYTES): Paging {
  let bytes = 0;
  const over = entryBytes.findIndex((entry) => {
    bytes += entry;
    return bytes > limit;
  });
  if (over === -1) return paging;
  const { offset } = windowOf(paging);
  let size = Math.max(over, 1);
  while (offset % size !== 0) size -= 1;
  return { page: offset / size + 1, size };
}

export function toPage<T>({ page, size }: Paging, data: T[], total: number): Page<T> {
  return { data, total, page, size, has_more: page * size < total };
}
