/** Public links of boards: what members manage (`/v0/boards/{boardId}/links`). */
import type { Static } from "typebox";
import { BOARD_LIMITS } from "./boards.ts";
import { LINK_LIMITS } from "./link-limits.ts";
import { Type } from "./type.ts";

/**
 * An origin in a header of policies. Written as letters: a host of a URL may have a semicolon, which would begin another
 * directive.
 */
const ORIGIN = "^https?://(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\\[[0-9a-fA-F:]{2,39}\\])(?::\\d{1,5})?$";

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, about: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description: about }));

const condition = Type.Object(
  {
    field: Type.String({ minLength: 1, maxLength: 512, example: "location" }),
    op: Type.String({ minLength: 1, maxLength: 32, example: "eq" }),
    value: Type.Optional(Type.Unknown({ example: "DE" })),
    filters: Type.Optional(Type.Array(Type.Unknown(), { maxItems: LINK_LIMITS.filters })),
  },
  { additionalProperties: false },
);

const FIELDS = {
  title: orNull(
    Type.String({ minLength: 1, maxLength: BOARD_LIMITS.titleChars, pattern: "^(?=.*\\S)[^\\x00-\\x1f]*$" }),
    "For whom it is. Only members see it.",
  ),
  expires_at: orNull(Type.String({ format: "date-time" }), "When it stops. Without it: never."),
  password: orNull(
    Type.String({ minLength: LINK_LIMITS.passwordMinChars, maxLength: LINK_LIMITS.passwordMaxChars }),
    "What people type before they see anything. Null removes it. A new one ends what was opened with the old one.",
  ),
  filters: orNull(
    Type.Array(condition, { maxItems: LINK_LIMITS.filters }),
    "Conditions as in a segment, but for the field `lifecycle`. All numbers are limited to them. Charts of SQL, which " +
      "no filter changes, are left out.",
  ),
  segment: orNull(
    Type.String({ minLength: 1, maxLength: 128 }),
    "The id of a segment, whose conditions hold beside `filters`.",
  ),
  date_from: orNull(Type.String({ format: "date" }), "The first day that can be seen, UTC."),
  date_to: orNull(Type.String({ format: "date" }), "The last day that can be seen, UTC."),
  days: orNull(
    Type.Integer(LINK_LIMITS.days),
    "So many days up to today, instead of `date_from` and `date_to`. With a fixed period, charts of SQL without both " +
      "placeholders and of `lifecycle` are left out, and charts have no comparison with earlier days.",
  ),
  frame_ancestors: orNull(
    Type.Array(Type.String({ pattern: ORIGIN, maxLength: 300, example: "https://example.com" }), {
      maxItems: LINK_LIMITS.frameAncestors,
    }),
    "The origins of pages that may show it in a frame, at `url` with `?embed=1`. Without it: none.",
  ),
};

export const LinkBody = Type.Object(FIELDS, { additionalProperties: false });
export type LinkDraft = Static<typeof LinkBody>;

export const LinkChanges = Type.Object(FIELDS, { additionalProperties: false, minProperties: 1 });

export const LinkParams = Type.Object({
  boardId: Type.String({ minLength: 1, maxLength: 128 }),
  linkId: Type.String({ minLength: 1, maxLength: 128 }),
});

const maybe = (schema: Parameters<typeof Type.Union>[0][number], about?: string) =>
  Type.Union([schema, Type.Null()], about === undefined ? {} : { description: about });
const text = maybe(Type.String());
const time = Type.String({ format: "date-time" });

export const LinkView = Type.Object({
  id: Type.String({ description: "Begins with `lnk_`." }),
  board_id: Type.String(),
  title: text,
  url: maybe(
    Type.String({ format: "uri" }),
    "The address of the page. Null for whoever may read boards and not change them, because it would outlive that " +
      "right, and after a change of the installation's secret, which ends the link.",
  ),
  has_password: Type.Boolean(),
  filters: maybe(Type.Array(Type.Object({}, { additionalProperties: true }))),
  segment: text,
  date_from: text,
  date_to: text,
  days: maybe(Type.Integer()),
  frame_ancestors: Type.Array(Type.String()),
  charts_left_out: Type.Integer({
    minimum: 0,
    description: "How many charts of the board it does not show, because its limits cannot be applied to them.",
  }),
  expires_at: maybe(time),
  expired: Type.Boolean(),
  created_at: time,
  updated_at: maybe(time),
  last_used_at: maybe(time, "When the board or a chart was last asked for with it, up to a minute late."),
  uses: Type.Integer({ minimum: 0, description: "How often the board was opened with it, up to a minute late." }),
});

export const LinkListAnswer = Type.Object({ data: Type.Array(LinkView) });
