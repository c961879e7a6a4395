import { Type } from "./type.ts";

const DemoState = Type.Object({
  state: Type.String({
    enum: ["none", "sending", "ready", "failed"],
    description: "`ready`: all events are in reports.",
  }),
  projectId: Type.Union([Type.String(), Type.Null()]),
  done: Type.Integer({ minimum: 0, description: "Events that are sent." }),
  total: Type.Integer({ minimum: 0 }),
  message: Type.Union([Type.String(), Type.Null()], { description: "Why it failed." }),
});

export const DemoAnswer = Type.Object({ isSuccess: Type.Literal(true), data: DemoState });

export const DemoDeletedAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  data: Type.Object({ id: Type.Union([Type.String(), Type.Null()], { description: "Null: there was none." }) }),
});
