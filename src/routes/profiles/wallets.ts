import { ADDRESS_PROBLEM, findAddress } from "../../contract/addresses.ts";
import { ApiError } from "../../contract/errors.ts";
import {
  BatchWriteAnswer,
  ImportBody,
  LabelDeletion,
  LabelsAnswer,
  LabelsBatch,
  LabelsBody,
  PropertiesAnswer,
  PropertiesBatch,
  PropertiesBody,
  WALLET_LIMITS,
  WalletWriteQuery,
} from "../../contract/profile-writes.ts";
import { ProfileParams } from "../../contract/profiles.ts";
import type { ApiKey } from "../../control/keys.ts";
import { pickProject } from "../../control/report-projects.ts";
import type { Reader } from "../../control/store.ts";
import { type Answer, type Checked, type Route, writeRoute } from "../../http/route.ts";
import {
  type Batch,
  checkLabelTimes,
  joinImported,
  type Properties,
  readImport,
  readLabelBatch,
  readPropertyBatch,
  toLabelRow,
  toPropertyRows,
  viewLabel,
} from "../../profiles/read-writes.ts";
import type { WriteWallets } from "../../profiles/write-wallets.ts";

const TAG = "Profiles";

interface WalletNeeds {
  writeWallets: WriteWallets;
}

/**
 * What an app says about wallets. The rows are in the analytics engine, and are written before the transaction of the
 * idempotency record (`prepare`): a request that is repeated after a crash in between writes the same again.
 */
export function walletWriteRoutes(needs: WalletNeeds): Route[] {
  return [
    setProperties(needs),
    setPropertiesOfMany(needs),
    setLabels(needs),
    deleteLabel(needs),
    setLabelsOfMany(needs),
    importWallets(needs),
  ];
}

const setProperties = ({ writeWallets }: WalletNeeds) =>
  writeRoute({
    method: "PUT",
    path: "/v0/profiles/:address/properties",
    operationId: "setProfileProperties",
    tag: TAG,
    summary: "Set properties of a wallet",
    description: "Null unsets a property: what the events say is shown again.",
    access: "profiles:write",
    params: ProfileParams,
    query: WalletWriteQuery,
    body: PropertiesBody,
    check: checkAddress,
    answers: { 200: PropertiesAnswer },
    async prepare({ db, key, parts: { query, body }, checked: address, nowMs }) {
      const project = await findProject(db, key, query);
      await writeWallets(project, { properties: toPropertyRows(address, body as Properties, nowMs) });
    },
    async handle({ parts: { body }, checked: address, nowMs }) {
      const answer = { address, updated_at: new Date(nowMs).toISOString(), ...(body as Properties) };
      return { status: 200, body: answer, audit: { target: address, details: { properties: Object.keys(body) } } };
    },
  });

const setPropertiesOfMany = ({ writeWallets }: WalletNeeds) =>
  writeRoute({
    method: "POST",
    path: "/v0/profiles/properties",
    operationId: "setPropertiesOfProfiles",
    tag: TAG,
    summary: "Set properties of up to 100 wallets",
    description: "A bad row is set aside, and the others are written. If all rows are bad, the answer is 400.",
    access: "profiles:write",
    query: WalletWriteQuery,
    body: PropertiesBatch,
    check: ({ body }, nowMs) => checkBatch(readPropertyBatch(Array.isArray(body) ? body : [], nowMs)),
    answers: { 200: BatchWriteAnswer },
    async prepare({ db, key, parts: { query }, checked }) {
      await writeWallets(await findProject(db, key, query), { properties: checked.rows });
    },
    handle: async ({ checked }) => answerBatch(checked, 200),
  });

const setLabels = ({ writeWallets }: WalletNeeds) =>
  writeRoute({
    method: "POST",
    path: "/v0/profiles/:address/labels",
    operationId: "setProfileLabels",
    tag: TAG,
    summary: "Label a wallet",
    description: "One label or several. Of two writes of a label the one with the later `timestamp` counts.",
    access: "profiles:write",
    params: ProfileParams,
    query: WalletWriteQuery,
    body: LabelsBody,
    check(parts, nowMs) {
      const checked = checkAddress(parts);
      const failures = checkLabelTimes(parts.body, nowMs);
      for (const [path, problem] of checked.ok ? [] : checked.failures) failures.set(path, problem);
      return failures.size > 0 ? { ok: false, failures } : checked;
    },
    answers: { 200: LabelsAnswer },
    async prepare({ db, key, parts: { query, body }, checked: address, nowMs }) {
      const labels = [body].flat().map((label) => toLabelRow(address, label, nowMs));
      await writeWallets(await findProject(db, key, query), { labels });
    },
    async handle({ parts: { body }, checked: address, nowMs }) {
      const made = [body].flat().map((label) => viewLabel(toLabelRow(address, label, nowMs)));
      const labels = made.map(({ tag_id }) => tag_id);
      return {
        status: 200,
        body: Array.isArray(body) ? made : made[0],
        audit: { target: address, details: { labels } },
      };
    },
  });

const deleteLabel = ({ writeWallets }: WalletNeeds) =>
  writeRoute({
    method: "DELETE",
    path: "/v0/profiles/:address/labels",
    operationId: "deleteProfileLabel",
    tag: TAG,
    summary: "Remove a label of a wallet",
    description: "Named in the body. Without `chain_id` it is the label that has no chain.",
    access: "profiles:write",
    params: ProfileParams,
    query: WalletWriteQuery,
    body: LabelDeletion,
    check: checkAddress,
    answers: { 204: null },
    async prepare({ db, key, parts: { query, body }, checked: address, nowMs }) {
      const removed = toLabelRow(address, { ...body, _is_deleted: 1 }, nowMs);
      await writeWallets(await findProject(db, key, query), { labels: [removed] });
    },
    handle: async ({ parts: { body }, checked: address }) => ({
      status: 204,
      text: "",
      audit: { target: address, details: { label: body.tag_id } },
    }),
  });

const setLabelsOfMany = ({ writeWallets }: WalletNeeds) =>
  writeRoute({
    method: "POST",
    path: "/v0/profiles/labels",
    operationId: "setLabelsOfProfiles",
    tag: TAG,
    summary: "Label up to 100 wallets",
    description:
      "A bad row is set aside, and the others are written. If all rows are bad, or a time is in the future, the answer is 400.",
    access: "profiles:write",
    query: WalletWriteQuery,
    body: LabelsBatch,
    check({ body }, nowMs) {
      const failures = new Map<string, string>();
      const batch = readLabelBatch(Array.isArray(body) ? body : [], nowMs, failures);
      return failures.size > 0 ? { ok: false, failures } : checkBatch(batch);
    },
    answers: { 200: BatchWriteAnswer },
    async prepare({ db, key, parts: { query }, checked }) {
      await writeWallets(await findProject(db, key, query), { labels: checked.rows });
    },
    handle: async ({ checked }) => answerBatch(checked, 200),
  });

const importWallets = ({ writeWallets }: WalletNeeds) =>
  writeRoute({
    method: "POST",
    path: "/v0/import",
    operationId: "importWallets",
    tag: TAG,
    summary: "Import wallets",
    description:
      "Every address becomes a profile at once, with the properties and labels that `rows` give it. An import is no visit: it adds no events, sessions or active days.",
    access: "profiles:write",
    query: WalletWriteQuery,
    body: ImportBody,
    // A body may hold a write key.
    answersSecret: true,
    check: ({ body }, nowMs) => checkBatch(readImport(body, nowMs), placesOf(body)),
    answers: { 201: BatchWriteAnswer },
    async prepare({ db, key, parts: { query }, checked }) {
      await writeWallets(await findProject(db, key, query), joinImported(checked.rows));
    },
    handle: async ({ checked }) => answerBatch(checked, 201),
  });

async function findProject(db: Reader, key: ApiKey, query: { project_id?: string }): Promise<string> {
  return (await pickProject(db, key, query.project_id, "query.project_id")).id;
}

/** Names are not looked up for a write. */
function checkAddress({ params }: { params: unknown }): Checked<string> {
  const address = findAddress((params as { address?: unknown }).address);
  if (address !== undefined) return { ok: true, value: address };
  return { ok: false, failures: new Map([["params.address", ADDRESS_PROBLEM]]) };
}

/** Where a row of an import stands: `rows` follow the addresses. */
function placesOf(body: unknown): (index: number) => string {
  const { addresses } = (body ?? {}) as { addresses?: unknown };
  const listed = Array.isArray(addresses) ? addresses.length : 0;
  return (index) => (index < listed ? `body.addresses.${index}` : `body.rows.${index - listed}`);
}

function checkBatch<Row>(batch: Batch<Row>, place = (index: number) => `body.${index}`): Checked<Batch<Row>> {
  if (batch.accepted > 0 || batch.errors.length === 0) return { ok: true, value: batch };
  const failures = batch.errors.map(({ index, reason }) => [place(index), reason] as const);
  return { ok: false, failures: new Map(failures) };
}

function answerBatch({ accepted, errors }: Batch<unknown>, status: 200 | 201): Answer {
  if (accepted === 0) throw new ApiError("BAD_REQUEST", "The request has no rows");
  const shown = errors.slice(0, WALLET_LIMITS.batch);
  const body = {
    successful_rows: accepted,
    quarantined_rows: errors.length,
    ...(shown.length > 0 ? { errors: shown } : {}),
  };
  return { status, body, audit: { details: { successful_rows: accepted, quarantined_rows: errors.length } } };
}
