export interface Paging {
  readonly page: number;
  readonly size: number;
}

/** In the order of the contract's lists. */
export interface Page<T> extends Paging {
  readonly data: T[];
  readonly total: number;
  readonly has_more: boolean;
}

export function windowOf({ page, size }: Paging): { limit: number; offset: number } {
  return { limit: size, offset: (page - 1) * size };
}

export function toPage<T>({ page, size }: Paging, data: T[], total: number): Page<T> {
  return { data, page, size, total, has_more: page * size < total };
}
