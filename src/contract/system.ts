import type { Static } from "typebox";
import { success } from "./account.ts";
import { Type } from "./type.ts";

const version = Type.Union([Type.String(), Type.Null()], { description: "Null while it does not answer." });
const bytes = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]);

const SystemState = Type.Object({
  node: Type.String({ description: "The version of Node.js." }),
  upSeconds: Type.Integer({ minimum: 0 }),
  engine: Type.Object({ name: Type.String(), version }),
  controlStore: Type.Object({ name: Type.String(), version }),
  disk: Type.Object(
    { dataBytes: bytes, freeBytes: bytes, totalBytes: bytes },
    { description: "The data directory of the node that answers, and its disk. Null: the file system does not say." },
  ),
  checks: Type.Record(Type.String(), Type.String(), { description: "As at /readyz: `ok`, or what is wrong." }),
});

export type SystemState = Static<typeof SystemState>;
export const SystemAnswer = success(SystemState);
