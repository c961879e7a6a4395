import type { Static } from "typebox";
import { PROJECT } from "./analytics.ts";
import { SCHEDULE_LIMITS } from "./schedule-limits.ts";
import { ONE_LINE } from "./texts.ts";
import { Type } from "./type.ts";

export { SCHEDULE_LIMITS };

const id = Type.String({ minLength: 1, maxLength: 128 });
const time = Type.String({ format: "date-time" });
const nullableTime = Type.Union([time, Type.Null()]);

const recipient = Type.Object({
  type: Type.String({ enum: ["email", "slack"] }),
  value: Type.String({
    minLength: 1,
    maxLength: SCHEDULE_LIMITS.valueChars,
    description: "An address of mail, or the URL of an incoming webhook of Slack.",
    example: "ada@example.com",
  }),
});

const fields = {
  title: Type.String({
    minLength: 1,
    maxLength: SCHEDULE_LIMITS.titleChars,
    pattern: ONE_LINE,
    example: "Weekly numbers",
  }),
  board_id: Type.Union([id, Type.Null()], { description: "A board of the project. Null: the figures of the project." }),
  every: Type.String({
    enum: ["week", "month"],
    description: "`week`: the seven days before the day on which it is sent. `month`: on the first, the month before.",
  }),
  weekday: Type.Integer({
    minimum: 1,
    maximum: 7,
    description: "Of a weekly one: the day on which it is sent; 1 is Monday.",
  }),
  hour: Type.Integer({
    minimum: 0,
    maximum: 23,
    description:
      "In its time zone. An hour that the clocks leave out is the next one, and one that comes twice is the first.",
  }),
  timezone: Type.String({ minLength: 1, maxLength: 64, example: "Europe/Berlin" }),
  active: Type.Boolean({ description: "False stops it." }),
  recipients: Type.Array(recipient, { maxItems: SCHEDULE_LIMITS.recipients }),
};

export const ScheduleQuery = Type.Object({ project_id: PROJECT });
export const ScheduleParams = Type.Object({ scheduleId: id });
export const ScheduleBody = Type.Object({
  project_id: Type.Optional(id),
  title: fields.title,
  board_id: Type.Optional(fields.board_id),
  every: fields.every,
  weekday: Type.Optional(fields.weekday),
  hour: Type.Optional(fields.hour),
  timezone: Type.Optional(fields.timezone),
  active: Type.Optional(fields.active),
  recipients: fields.recipients,
});
export type ScheduleBody = Static<typeof ScheduleBody>;

export const ScheduleChanges = Type.Object(
  {
    title: Type.Optional(fields.title),
    board_id: Type.Optional(fields.board_id),
    every: Type.Optional(fields.every),
    weekday: Type.Optional(fields.weekday),
    hour: Type.Optional(fields.hour),
    timezone: Type.Optional(fields.timezone),
    active: Type.Optional(fields.active),
    recipients: Type.Optional(fields.recipients),
  },
  { minProperties: 1 },
);
export type ScheduleChanges = Static<typeof ScheduleChanges>;

const RecipientView = Type.Object({
  type: Type.String({ enum: ["email", "slack"] }),
  value: Type.String({ description: "The secret part of a URL of Slack is hidden." }),
  state: Type.String({
    enum: ["active", "unconfirmed", "unsubscribed", "failing"],
    description:
      "`unconfirmed`: the owner of the address is asked, and nothing else is sent. `unsubscribed`: the owner wants no more of it. `failing`: it was given up after days of failures.",
  }),
});

export const ScheduleView = Type.Object({
  id: Type.String(),
  project_id: Type.String(),
  ...fields,
  recipients: Type.Array(RecipientView),
  next_at: Type.Union([time, Type.Null()], { description: "When it is next sent." }),
  last_error: Type.Union([Type.String(), Type.Null()], { description: "Why the last report could not be made." }),
  created_by: Type.Union([Type.Object({ id: Type.String(), name: Type.String() }), Type.Null()]),
  created_at: time,
  updated_at: nullableTime,
});
export type ScheduleView = Static<typeof ScheduleView>;
export const ScheduleListAnswer = Type.Object({
  data: Type.Array(ScheduleView),
  mail_is_configured: Type.Boolean({ description: "Whether the installation has a mail server." }),
});
export const ScheduleDeletedAnswer = Type.Object({ id: Type.String() });

const days = { date_from: Type.String({ format: "date" }), date_to: Type.String({ format: "date" }) };

export const SchedulePreviewAnswer = Type.Object({
  ...days,
  subject: Type.String(),
  html: Type.String({ description: "As it is mailed, without the links of a recipient." }),
  text: Type.String(),
});
export const ScheduleTestAnswer = Type.Object({
  ...days,
  deliveries: Type.Integer({ minimum: 0, description: "Recipients to whom it is on its way." }),
});

const ScheduleRunView = Type.Object({
  id: Type.String(),
  ...days,
  due_at: time,
  sent_at: time,
  deliveries: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.String(),
      value: Type.String(),
      state: Type.String({ enum: ["pending", "sending", "delivered", "failed", "skipped", "ended"] }),
      attempts: Type.Integer({ minimum: 0 }),
      settled_at: nullableTime,
      status: Type.Union([Type.Integer(), Type.Null()], {
        description: "What Slack (HTTP) or the mail server (SMTP) answered last.",
      }),
      reason: Type.Union([Type.String(), Type.Null()], {
        description:
          "Why there was no answer, as `connect`, `timeout` and `tls`, or why nothing was sent: `no_mail_server`, " +
          "`unconfirmed`, `unsubscribed`, `limited`.",
      }),
    }),
    { description: "Kept for 30 days." },
  ),
});
export type ScheduleRunView = Static<typeof ScheduleRunView>;
export const ScheduleRunsAnswer = Type.Object({ data: Type.Array(ScheduleRunView) });
export const ScheduleResentAnswer = Type.Object({ deliveries: Type.Integer({ minimum: 0 }) });
export const ScheduleRunParams = Type.Object({ scheduleId: id, runId: id });
