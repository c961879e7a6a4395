import type { Static } from "typebox";
import { PROJECT } from "./analytics.ts";
import { Type } from "./type.ts";

export const FirstDaysQuery = Type.Object({ project_id: PROJECT });

export const FirstDaysAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      project_id: Type.String(),
      first_day: Type.Union([Type.String({ format: "date" }), Type.Null()], {
        description: "The first day, in the project's time zone, that may have events that it keeps; null without any.",
      }),
    }),
  ),
});
export type FirstDaysAnswer = Static<typeof FirstDaysAnswer>;
