import { PROJECT } from "./analytics.ts";
import { PAGE_FIELDS, PAGE_QUERY } from "./paging.ts";
import { NO_NUL, ONE_LINE } from "./texts.ts";
import { Type } from "./type.ts";

export const BOARD_LIMITS = {
  titleChars: 200,
  descriptionChars: 2_000,
  /** The contract has such a limit and does not say its number. */
  perProject: 100,
  /** The dashboard draws 60 charts of 400 px in one page. */
  charts: 60,
} as const;

export const title = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: BOARD_LIMITS.titleChars,
    pattern: ONE_LINE,
    description: "Its name.",
    example,
  });

export const description = Type.Union(
  [Type.String({ maxLength: BOARD_LIMITS.descriptionChars, pattern: NO_NUL }), Type.Null()],
  { description: "What it is for." },
);

const id = (about: string) => Type.String({ minLength: 1, maxLength: 128, description: about });
const isPublic = Type.Boolean({
  description: "Whether people without an account see it, by a public link. `enabled` in answers.",
});

export const BoardListQuery = Type.Object({ ...PAGE_QUERY, project_id: PROJECT });

export const BoardParams = Type.Object({ boardId: id("The board.") });

/** A template has a title of its own. */
export const BoardBody = Type.Object({
  title: Type.Optional(title("Growth")),
  description: Type.Optional(description),
  isPublic: Type.Optional(isPublic),
  project_id: Type.Optional(id("The project, for a key of a workspace with several projects.")),
  template: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        "Begins with the charts of a template; `GET /v0/boards/templates` lists them. Then title is optional.",
      example: "growth",
    }),
  ),
});

export const BoardChanges = Type.Object(
  {
    title: Type.Optional(title("Growth")),
    description: Type.Optional(description),
    isPublic: Type.Optional(isPublic),
  },
  { minProperties: 1 },
);

export const BoardDeleteQuery = Type.Object({
  with_charts: Type.Boolean({
    default: false,
    description: "Deletes its charts, too. Without it a board that has charts is not deleted.",
  }),
});

const time = (about: string) => Type.String({ format: "date-time", description: about });

export const BoardView = Type.Object({
  id: Type.String({ description: "Begins with `brd_`." }),
  project_id: Type.String(),
  title: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  enabled: Type.Boolean({ description: "`isPublic` of requests." }),
  charts: Type.Integer({ minimum: 0, description: "How many it has." }),
  created_at: time("When it was created."),
  updated_at: Type.Union([time("When it was last changed."), Type.Null()]),
});

export const BoardListAnswer = Type.Object({ data: Type.Array(BoardView), ...PAGE_FIELDS });

export const BoardTemplatesAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String({ description: "For `template` of `POST /v0/boards`." }),
      title: Type.String(),
      description: Type.String(),
      charts: Type.Array(Type.Object({ chart_type: Type.String(), title: Type.String() })),
    }),
  ),
});
