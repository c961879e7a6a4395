import type { Static, TSchema } from "typebox";
import { ACCOUNT_LIMITS } from "./account-limits.ts";
import { MEMBER_ROLES } from "./member-roles.ts";
import { SCOPES } from "./scopes.ts";
import { Type } from "./type.ts";

export const time = Type.String({ format: "date-time" });

/** The body of a success under /api/. */
export function success<T extends TSchema>(data: T) {
  return Type.Object({ isSuccess: Type.Literal(true), data });
}

const userName = Type.String({
  minLength: 1,
  maxLength: ACCOUNT_LIMITS.nameChars,
  description: "A name or an email address; compared without case.",
});
const newPassword = Type.String({
  minLength: ACCOUNT_LIMITS.passwordMinChars,
  maxLength: ACCOUNT_LIMITS.passwordMaxChars * 2,
  description: `At least ${ACCOUNT_LIMITS.passwordMinChars} characters of any kind.`,
});
const sentPassword = Type.String({ minLength: 1, maxLength: ACCOUNT_LIMITS.passwordMaxChars * 2 });
const token = Type.String({ minLength: 1, maxLength: 200, description: "The part of the link after `#token=`." });

export const SetupBody = Type.Object({ token, name: userName, password: newPassword });
export const PasswordSignInBody = Type.Object({ name: userName, password: sentPassword });
export const PasswordChangeBody = Type.Object({
  currentPassword: Type.Optional(sentPassword),
  newPassword,
});

export const SignInFactsAnswer = success(
  Type.Object({
    setupOpen: Type.Boolean({ description: "True while there is no account." }),
    methods: Type.Object({
      password: Type.Boolean(),
      passkey: Type.Boolean({ description: "False where browsers have no passkeys: on an IP address." }),
      wallet: Type.Boolean(),
      oidc: Type.Union([Type.Object({ name: Type.String() }), Type.Null()]),
    }),
  }),
);

export const ProjectItem = Type.Object({
  id: Type.String(),
  name: Type.String(),
  excludeBots: Type.Boolean(),
  retentionDays: Type.Union([Type.Integer(), Type.Null()]),
  moneyUnit: Type.String({ description: "What revenue and volume are counted in, such as USD or ETH." }),
  timezone: Type.String({ description: "The time zone whose days reports count, such as Europe/Berlin." }),
  isDemo: Type.Boolean({ description: "Its events are invented." }),
  createdAt: time,
});

const Account = Type.Object({
  user: Type.Object({ id: Type.String(), name: Type.String(), hasPassword: Type.Boolean(), createdAt: time }),
  session: Type.Object({
    id: Type.String(),
    method: Type.String(),
    expiresAt: time,
    freshUntil: Type.String({ format: "date-time", description: "Until then ways to sign in can be added." }),
  }),
  workspaces: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      role: Type.String({ enum: [...MEMBER_ROLES] }),
      scopes: Type.Array(Type.String({ enum: [...SCOPES] })),
      can: Type.Object({
        edit: Type.Boolean(),
        runSql: Type.Boolean(),
        manageProjects: Type.Boolean(),
        manageKeys: Type.Boolean(),
        manageMembers: Type.Boolean(),
        manageWorkspace: Type.Boolean(),
      }),
      projects: Type.Array(ProjectItem),
    }),
  ),
  methods: Type.Object({ passkeys: Type.Integer(), wallets: Type.Integer(), oidc: Type.Boolean() }),
  urls: Type.Object({ api: Type.String(), events: Type.String() }),
  version: Type.String(),
});
export type AccountBody = Static<typeof Account>;
export const AccountAnswer = success(Account);

export const SignedOutAnswer = success(Type.Object({ signedOut: Type.Literal(true) }));
export const MethodList = Type.Object({
  passkeys: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), createdAt: time })),
  wallets: Type.Array(Type.Object({ id: Type.String(), address: Type.String(), createdAt: time })),
  oidc: Type.Boolean(),
});
export const PasswordChangedAnswer = success(Type.Object({ changed: Type.Literal(true), otherMethods: MethodList }));

const SessionItem = Type.Object({
  id: Type.String(),
  method: Type.String(),
  userAgent: Type.String(),
  createdAt: time,
  lastSeenAt: time,
  expiresAt: time,
  isCurrent: Type.Boolean(),
});
export const SessionListAnswer = success(Type.Array(SessionItem));
export const SessionParams = Type.Object({ sessionId: Type.String({ maxLength: 64 }) });
export const SessionEndedAnswer = success(Type.Object({ id: Type.String() }));
export const SessionsEndedAnswer = success(Type.Object({ ended: Type.Integer() }));

/** What a one-time link leads to, for the page that opens it. */
export const LinkReadBody = Type.Object({ token });
export const LinkReadAnswer = success(
  Type.Object({
    kind: Type.String({ enum: ["invite", "reset"] }),
    workspace: Type.Union([Type.Object({ name: Type.String() }), Type.Null()]),
    role: Type.Union([Type.String({ enum: [...MEMBER_ROLES] }), Type.Null()]),
    name: Type.Union([Type.String(), Type.Null()], { description: "Of the user whose password is reset." }),
    expiresAt: time,
  }),
);
export const InviteAcceptBody = Type.Object({
  token,
  name: Type.Optional(userName),
  password: Type.Optional(newPassword),
});
export const ResetBody = Type.Object({ token, password: newPassword });

const challengeToken = Type.String({ maxLength: 20_000, description: "From the answer to `begin`." });
/** WebAuthn has its own types; the library checks them. */
const webauthn = Type.Record(Type.String(), Type.Unknown());

export const PasskeyBeginAnswer = success(Type.Object({ challengeToken: Type.String(), options: webauthn }));
export const PasskeySignInBody = Type.Object({ challengeToken, response: webauthn });
export const PasskeyBody = Type.Object({
  challengeToken,
  name: Type.String({ minLength: 1, maxLength: 100, pattern: "\\S" }),
  response: webauthn,
});
const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: time,
  lastUsedAt: Type.Union([time, Type.Null()]),
});
export const PasskeyParams = Type.Object({ passkeyId: Type.String({ maxLength: 64 }) });
export const PasskeyListAnswer = success(Type.Array(Passkey));
export const PasskeyAnswer = success(Passkey);

export const WalletBeginBody = Type.Object({
  address: Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" }),
  chainId: Type.Integer({ minimum: 1, maximum: 2 ** 53 - 1 }),
});
export const WalletBeginAnswer = success(
  Type.Object({
    challengeToken: Type.String(),
    message: Type.String({ description: "The EIP-4361 message to sign with `personal_sign`." }),
  }),
);
export const WalletFinishBody = Type.Object({
  challengeToken,
  signature: Type.String({ pattern: "^0x([0-9a-fA-F]{2})+$", maxLength: 8_192 }),
});
const Wallet = Type.Object({
  id: Type.String(),
  address: Type.String(),
  chainId: Type.Union([Type.Integer(), Type.Null()], {
    description: "The chain of a contract wallet; null for an ordinary account.",
  }),
  createdAt: time,
});
export const WalletParams = Type.Object({ walletId: Type.String({ maxLength: 64 }) });
export const WalletListAnswer = success(Type.Array(Wallet));
export const WalletAnswer = success(Wallet);
export const MethodRemovedAnswer = success(Type.Object({ id: Type.String() }));

export const OidcStartQuery = Type.Object({
  intent: Type.String({ enum: ["sign-in", "link"], default: "sign-in" }),
});
/** The provider may add more. */
export const OidcReturnQuery = Type.Object({
  code: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  iss: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
});
export const OidcRemovedAnswer = success(Type.Object({ removed: Type.Integer() }));
