/** What the bell of the dashboard shows: firings of a project that a person has not seen yet. */
import { success } from "./account.ts";
import { NOTIFICATION_LIMITS, TRIGGER_TYPES } from "./alert-limits.ts";
import { Type } from "./type.ts";

const time = Type.String({ format: "date-time" });
const project = Type.String({ minLength: 1, maxLength: 128 });

export const NotificationQuery = Type.Object({ project_id: project });
export const NotificationReadBody = Type.Object({
  project_id: project,
  until: Type.String({ format: "date-time", description: "The time of the newest one that was seen." }),
});

export const NotificationListAnswer = success(
  Type.Object({
    unread: Type.Integer({
      minimum: 0,
      maximum: NOTIFICATION_LIMITS.counted + 1,
      description: `${NOTIFICATION_LIMITS.counted + 1}: more than ${NOTIFICATION_LIMITS.counted}.`,
    }),
    items: Type.Array(
      Type.Object({
        id: Type.String(),
        alertId: Type.String(),
        name: Type.String({ description: "Of the alert." }),
        kind: Type.String({ enum: [...TRIGGER_TYPES] }),
        count: Type.Integer({ minimum: 0, description: "How many matches it tells about." }),
        details: Type.Record(Type.String(), Type.Unknown()),
        createdAt: time,
        isUnread: Type.Boolean(),
      }),
    ),
  }),
);
export const NotificationReadAnswer = success(Type.Object({ id: Type.String({ description: "The project." }) }));
