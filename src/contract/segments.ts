import { PROJECT, REPORT_LIMITS } from "./analytics.ts";
import { PAGE_FIELDS, PAGE_QUERY } from "./paging.ts";
import { PEOPLE_FIELD } from "./people.ts";
import { SEGMENT_TITLE_CHARS } from "./segment-names.ts";
import { ONE_LINE } from "./texts.ts";
import { Type } from "./type.ts";

export const SEGMENT_LIMITS = {
  titleChars: SEGMENT_TITLE_CHARS,
  perProject: 200,
  /** As many as a report takes, so that a segment can always be written as its filters. */
  filters: REPORT_LIMITS.filters,
  /** Of the conditions as JSON: 700 wallet addresses. The longest list of all segments has 13 MB. */
  chars: 32 * 1024,
} as const;

type Scalar = string | number | boolean;

/** A condition of a segment. */
export interface SegmentFilter {
  readonly field: string;
  readonly op: string;
  readonly value?: Scalar | readonly Scalar[] | null;
  readonly filters?: readonly unknown[];
}

const title = Type.String({
  minLength: 1,
  maxLength: SEGMENT_LIMITS.titleChars,
  pattern: ONE_LINE,
  description: "Who is in it.",
  example: "Traders from Germany",
});

const filter = Type.Object(
  {
    field: Type.String({ minLength: 1, maxLength: 512, example: "location" }),
    op: Type.String({ minLength: 1, maxLength: 32, example: "eq" }),
    value: Type.Optional(Type.Unknown({ example: "DE" })),
    filters: Type.Optional(
      Type.Array(Type.Unknown(), {
        maxItems: SEGMENT_LIMITS.filters,
        description: "With event or type: conditions on properties of the same event.",
      }),
    ),
  },
  { additionalProperties: false },
);

const filters = Type.Array(filter, {
  minItems: 1,
  maxItems: SEGMENT_LIMITS.filters,
  description:
    "Conditions, joined by AND, with the fields and operators of `filters` in reports. The field `lifecycle` is for " +
    `lifecycle and frequency alone. The field \`${PEOPLE_FIELD}\` chooses people by what they have done.`,
});

const filterSets = Type.Array(Type.String({ minLength: 1, maxLength: SEGMENT_LIMITS.chars }), {
  minItems: 1,
  maxItems: SEGMENT_LIMITS.filters,
  description: "The older form of `filters`: texts `field::op::value`.",
});

const project = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 128,
    description: "The project, for a key of a workspace with several projects.",
  }),
);

export const SegmentListQuery = Type.Object({ ...PAGE_QUERY, project_id: PROJECT });

export const SegmentParams = Type.Object({ segmentId: Type.String({ minLength: 1, maxLength: 128 }) });

export const SegmentBody = Type.Object({
  title,
  filters: Type.Optional(filters),
  filterSets: Type.Optional(filterSets),
  project_id: project,
});

export const SegmentChanges = Type.Object(
  { title: Type.Optional(title), filters: Type.Optional(filters), filterSets: Type.Optional(filterSets) },
  { minProperties: 1 },
);

export const SegmentDeleteQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({
      description: "`true`: also a segment that charts or public links use. They fail until they are changed.",
    }),
  ),
});

export const SegmentView = Type.Object({
  id: Type.String(),
  title: Type.String(),
  projectId: Type.String(),
  filters: Type.Array(
    Type.Object({
      field: Type.String(),
      op: Type.String(),
      value: Type.Optional(Type.Unknown()),
      filters: Type.Optional(Type.Array(Type.Unknown())),
    }),
  ),
  filterSet: Type.Array(Type.String(), {
    description: "The conditions as `field::op::value`, without conditions on properties.",
  }),
  created_by: Type.Union([Type.Object({ id: Type.String(), name: Type.String() }), Type.Null()], {
    description: "The member who saved it; null for an API key.",
  }),
  created_at: Type.String({ format: "date-time" }),
  updated_at: Type.String({ format: "date-time" }),
});

export const SegmentListAnswer = Type.Object({ data: Type.Array(SegmentView), ...PAGE_FIELDS });

const users = Type.Array(Type.Object({ id: Type.String(), title: Type.String() }));

export const SegmentDeletedAnswer = Type.Union([Type.Null(), Type.Object({ charts: users, links: users })], {
  description: "Null, or with `force` the charts and public links that used it.",
});
