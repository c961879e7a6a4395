import { ProjectItem, success, time } from "./account.ts";
import { MEMBER_ROLES } from "./member-roles.ts";
import { SCOPES } from "./scopes.ts";
import { Type } from "./type.ts";

const nullableTime = Type.Union([time, Type.Null()]);
const id = Type.String({ maxLength: 64 });
const name = Type.String({ minLength: 1, maxLength: 200, pattern: "\\S" });
const role = Type.String({ enum: [...MEMBER_ROLES] });

const Member = Type.Object({
  userId: Type.String(),
  name: Type.String(),
  role,
  joinedAt: time,
  lastSeenAt: nullableTime,
});
export const MemberParams = Type.Object({ userId: id });
export const MemberBody = Type.Object({ role });
export const MemberListAnswer = success(Type.Array(Member));
export const MemberAnswer = success(Member);
export const MemberRemovedAnswer = success(
  Type.Object({
    userId: Type.String(),
    keys: Type.Array(
      Type.Object({
        id: Type.String(),
        kind: Type.String({ enum: ["api", "write", "bi"] }),
        name: Type.String(),
      }),
      { description: "Keys and tokens that the member made in the last 365 days and that still work." },
    ),
  }),
);

const Invite = Type.Object({
  id: Type.String(),
  role,
  note: Type.String(),
  createdBy: Type.Union([Type.String(), Type.Null()], { description: "The name of the member who made it." }),
  createdAt: time,
  expiresAt: time,
});
export const InviteParams = Type.Object({ inviteId: id });
export const InviteBody = Type.Object({
  role: Type.String({ enum: MEMBER_ROLES.filter((one) => one !== "owner") }),
  note: Type.Optional(Type.String({ maxLength: 200, description: "For whom it is." })),
});
export const InviteListAnswer = success(Type.Array(Invite));
export const InviteCreatedAnswer = success(
  Type.Object({
    id: Type.String(),
    role,
    note: Type.String(),
    url: Type.String({ description: "The link to send. It works once and is shown only here." }),
    expiresAt: time,
  }),
);

export const ProjectParams = Type.Object({ projectId: id });
export const ProjectBody = Type.Object({ name });
export const ProjectChangeBody = Type.Object({
  name: Type.Optional(name),
  excludeBots: Type.Optional(Type.Boolean({ description: "True: reports leave bots out." })),
  retentionDays: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()], {
      description: "Days that events are kept; null for ever. Older events are removed within an hour, permanently.",
    }),
  ),
  moneyUnit: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z][A-Za-z0-9]{1,11}$",
      description: "What revenue and volume are counted in: a currency such as USD, or a token such as ETH.",
    }),
  ),
  timezone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        "The name of the time zone whose days reports count, such as Europe/Berlin. Other offsets are refused.",
    }),
  ),
});
export const ProjectListAnswer = success(Type.Array(ProjectItem));
export const ProjectAnswer = success(ProjectItem);

const keyFields = {
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  createdAt: time,
  expiresAt: nullableTime,
  revokedAt: nullableTime,
};
const scopes = Type.Array(Type.String({ enum: [...SCOPES] }), { minItems: 1, maxItems: SCOPES.length });
const keyText = Type.String({ description: "The key itself. It is shown only here; a hash of it is stored." });
const expiresAt = Type.Optional(Type.String({ format: "date-time" }));
const ApiKeyItem = Type.Object({
  ...keyFields,
  projectId: Type.Union([Type.String(), Type.Null()]),
  scopes: Type.Array(Type.String()),
});
const WriteKeyItem = Type.Object({ ...keyFields, projectId: Type.String() });

const BiTokenItem = Type.Object({
  ...WriteKeyItem.properties,
  lastUsedAt: Type.Union([time, Type.Null()], { description: "The hour of the last use; null for never." }),
});

export const KeyParams = Type.Object({ keyId: id });
export const ApiKeyBody = Type.Object({ name, scopes, projectId: Type.Optional(id), expiresAt });
export const ApiKeyListAnswer = success(Type.Array(ApiKeyItem));
export const ApiKeyCreatedAnswer = success(Type.Object({ ...ApiKeyItem.properties, key: keyText }));
export const WriteKeyBody = Type.Object({ name, projectId: id, expiresAt });
export const WriteKeyListAnswer = success(Type.Array(WriteKeyItem));
export const UnknownWriteKeysAnswer = success(
  Type.Array(
    Type.Object({
      prefix: Type.String({ description: "The beginning of the key; empty for requests without one." }),
      requests: Type.Integer({ minimum: 1 }),
      lastAt: time,
    }),
  ),
);
export const WriteKeyCreatedAnswer = success(Type.Object({ ...WriteKeyItem.properties, key: keyText }));
export const BiTokenListAnswer = success(Type.Array(BiTokenItem));
export const BiTokenCreatedAnswer = success(Type.Object({ ...BiTokenItem.properties, key: keyText }));
export const KeyRevokedAnswer = success(Type.Object({ id: Type.String(), revokedAt: time }));

export const AuditQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 100_000, default: 1 }),
  size: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
});
export const AuditAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      at: time,
      actor: Type.Object({
        userId: Type.Union([Type.String(), Type.Null()], { description: "Null for the command line." }),
        name: Type.String(),
      }),
      action: Type.String({ description: "The operationId of the request, or the command." }),
      target: Type.String({ description: "The id of what was changed." }),
      details: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
  total: Type.Integer(),
  page: Type.Integer(),
  size: Type.Integer(),
  has_more: Type.Boolean(),
});

export const WorkspaceBody = Type.Object({ name });
export const WorkspaceAnswer = success(Type.Object({ id: Type.String(), name: Type.String() }));
export const DeletedAnswer = success(Type.Object({ id: Type.String() }));
