/** Lists of boards, charts and segments, which have pages. */
import { Type } from "./type.ts";

const LIMITS = {
  page: { default: 1, minimum: 1, maximum: 100_000 },
  size: { default: 100, minimum: 1, maximum: 200 },
} as const;

export const PAGE_QUERY = {
  page: Type.Integer({ ...LIMITS.page, description: "Counted in pages of `size`." }),
  size: Type.Integer({ ...LIMITS.size, description: "Most entries to return." }),
};

export const PAGE_FIELDS = {
  page: Type.Integer({ minimum: 1 }),
  size: Type.Integer({ minimum: 1 }),
  total: Type.Integer({ minimum: 0 }),
  has_more: Type.Boolean(),
};
