import { SCOPES } from "./scopes.ts";
import { Type } from "./type.ts";

export const ValidateApiKeyBody = Type.Object(
  {
    apiKey: Type.Optional(
      Type.String({ minLength: 1, maxLength: 512, description: "The key, when no header carries it." }),
    ),
  },
  { description: "May be absent when a header carries the key." },
);

const nullableTime = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);
const nullableId = Type.Union([Type.String(), Type.Null()]);
const scopeList = Type.Array(Type.String({ enum: [...SCOPES] }));

export const ValidateApiKeyAnswer = Type.Object({
  isSuccess: Type.Literal(true),
  validated: Type.Literal(true),
  details: Type.String({ description: "The workspace's name." }),
  teamId: Type.String({ description: "The workspace's id, under the name existing clients read." }),
  scopes: Type.Object({ project_id: nullableId, list: scopeList }),
  data: Type.Object({
    validated: Type.Literal(true),
    workspace: Type.Object({ id: Type.String(), name: Type.String(), createdAt: Type.String({ format: "date-time" }) }),
    projects: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: "The projects this key sees: all of the workspace, or the one it is bound to.",
    }),
    key: Type.Object({
      id: Type.String(),
      name: Type.String(),
      prefix: Type.String({ description: "The first characters of the key, enough to recognise it." }),
      scopes: scopeList,
      projectId: nullableId,
      createdAt: Type.String({ format: "date-time" }),
      expiresAt: nullableTime,
    }),
  }),
});
