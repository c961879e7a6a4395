/** Files of history that people bring along through the dashboard. */
import type { Static } from "typebox";
import { success, time } from "./account.ts";
import { IMPORT_LIMITS, IMPORT_STATES } from "./import-limits.ts";
import { ONE_LINE } from "./texts.ts";
import { Type } from "./type.ts";

const bytes = Type.Integer({ minimum: 0 });
const day = Type.String({ format: "date" });

const Import = Type.Object({
  id: Type.String(),
  projectId: Type.String(),
  fileName: Type.String(),
  fileBytes: bytes,
  receivedBytes: Type.Integer({ minimum: 0, description: "The next part begins here." }),
  state: Type.String({
    enum: [...IMPORT_STATES],
    description: "`receiving`: parts of the file are missing. `ready`: the import can be started.",
  }),
  source: Type.Union([Type.String(), Type.Null()], { description: "The product whose export it is." }),
  columns: Type.Record(Type.String(), Type.String(), {
    description: "As it was started: field of the event -> column of the file.",
  }),
  values: Type.Record(Type.String(), Type.String(), {
    description: "As it was started: field of the event -> one value for every row.",
  }),
  doneBytes: Type.Integer({ minimum: 0, description: "Of the file, as far as it is imported." }),
  rows: Type.Integer({ minimum: 0 }),
  events: Type.Integer({
    minimum: 0,
    description: "Sent; of a list of wallets: wallets. Events that were there before count once.",
  }),
  refused: Type.Integer({ minimum: 0, description: "Rows that are no events." }),
  message: Type.Union([Type.String(), Type.Null()], { description: "Why it failed." }),
  isUpload: Type.Boolean({ description: "False: the command `sextant import` has read the file." }),
  days: Type.Union([Type.Object({ firstDay: day, lastDay: day }), Type.Null()], {
    description: "Of an export of sums of days, whose rows are sums and no events.",
  }),
  createdAt: time,
  endedAt: Type.Union([time, Type.Null()]),
});

/** Sums of a day, as another product has counted it. */
const ImportedDay = Type.Object({
  day,
  visitors: Type.Integer({ minimum: 0 }),
  visits: Type.Integer({ minimum: 0 }),
  pageviews: Type.Integer({ minimum: 0 }),
  bounces: Type.Integer({ minimum: 0 }),
  durationMs: Type.Integer({ minimum: 0 }),
  isCounted: Type.Boolean({ description: "False: the project has events of its own on the day, or before it." }),
});
export type ImportedDay = Static<typeof ImportedDay>;

export const ImportParams = Type.Object({ importId: Type.String({ maxLength: 64 }) });
export const ImportListQuery = Type.Object({
  project_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
});
export const ImportAnswer = success(Import);
export const ImportListAnswer = success(Type.Array(Import));
export const ImportGoneAnswer = success(
  Type.Object({ id: Type.String(), sums: Type.Integer({ minimum: 0, description: "Of days, that were removed." }) }),
);
export const ImportedDaysQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 1000, description: "Most days to return." }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: "Days to skip." }),
});
export const ImportedDaysAnswer = success(Type.Array(ImportedDay));

export const NewImportBody = Type.Object({
  project_id: Type.String({ minLength: 1, maxLength: 128 }),
  fileName: Type.String({ minLength: 1, maxLength: IMPORT_LIMITS.fileNameChars, pattern: ONE_LINE }),
  fileBytes: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: "The size of the whole file." }),
});

export const ImportPartQuery = Type.Object({
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "`receivedBytes`, as it is now." }),
});

/** A record with any names: fields of an event. */
const pairs = (about: string, valueChars: number) =>
  Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: valueChars }), {
      maxProperties: IMPORT_LIMITS.mappedFields,
      description: about,
    }),
  );

const reading = {
  source: Type.Optional(
    Type.String({
      maxLength: 32,
      description:
        "The product whose export it is, `generic`, or `wallets` for a list of wallets. Default: by the content of the file.",
    }),
  ),
  columns: pairs("Of `generic` and `wallets`: field -> column of the file.", IMPORT_LIMITS.fieldChars),
  values: pairs("Of `generic` and `wallets`: field -> one value for every row.", IMPORT_LIMITS.valueChars),
};

export const ImportReadingBody = Type.Object(reading);
export type ImportReading = Static<typeof ImportReadingBody>;

export const ImportPreviewAnswer = success(
  Type.Object({
    source: Type.String({ description: "As asked, or as the columns of the file say." }),
    sources: Type.Array(
      Type.Object({
        name: Type.String(),
        label: Type.String(),
        file: Type.String(),
        gives: Type.String({ enum: ["events", "wallets", "days"], description: "What becomes of its rows." }),
      }),
    ),
    fields: Type.Array(Type.String(), {
      description:
        "What a column of `generic` can be, beside `properties.<name>`, or one of `wallets`, beside `label.<tag>`.",
    }),
    columns: Type.Array(Type.String(), { description: "Of the first row that can be read." }),
    unread: Type.Array(Type.String(), { description: "Columns of the first row of wallets that are not read." }),
    rows: Type.Integer({ minimum: 0, description: "How many were looked at; of an export of days: its days." }),
    isWhole: Type.Boolean({ description: "Whether these are all rows of the file." }),
    events: Type.Integer({ minimum: 0, description: "Events, wallets or days that would be imported." }),
    first: Type.Array(Type.Unknown(), { description: "The first of them, as they would be stored." }),
    refused: Type.Array(
      Type.Object({
        reason: Type.String(),
        rows: Type.Integer(),
        at: Type.String({ description: "The first of them." }),
      }),
    ),
    earliest: Type.Union([time, Type.Null()]),
    latest: Type.Union([time, Type.Null()]),
  }),
);
