import { Registry } from "prom-client";
import type { ReadyCheck } from "../../contract/ready-check.ts";
import { createUploadFiles, type UploadFiles } from "../../imports/upload-files.ts";
import type { Config } from "../../installation/config.ts";
import type { DataPaths } from "../../installation/data-dir.ts";
import { isPrivateTrial } from "../../installation/private-trial.ts";
import type { Provider } from "../../providers/provider.ts";
import { createWantedWallets, type WantedWallets } from "../../providers/wanted.ts";
import { type AddressPolicy, createTargetPolicy } from "../../webhooks/address-guard.ts";
import type { SendMail } from "../../webhooks/worker.ts";
import type { ServiceLog } from "../log.ts";
import type { Stopper } from "../stopper.ts";
import type { Stores } from "../stores.ts";
import { type ApiRole, openApi } from "./api.ts";
import { type IngestRole, openIngest } from "./ingest.ts";
import { openMail } from "./mail.ts";
import { metricQuestions } from "./metric-alerts.ts";
import type { OpenedRole } from "./role.ts";
import { openWorker, type WorkerRole } from "./worker.ts";

export interface Roles {
  /** Every node has it; only a node with the role listens for requests. */
  api: ApiRole;
  ingest: IngestRole | undefined;
  worker: WorkerRole | undefined;
  /** Undefined where no mail server is set. */
  sendMail: SendMail | undefined;
  /** The networks that webhooks may reach. */
  policy: AddressPolicy;
  /** Notes wallets that people look at, for providers. Nothing without one, or where no worker asks it. */
  noteWallets: WantedWallets["add"];
  /** Providers are not asked for a wallet that was erased. */
  forgetWallet: WantedWallets["forget"];
  /** Where files to import lie. */
  uploadFiles: UploadFiles;
  checks: readonly ReadyCheck[];
  metrics: Registry;
}

/** Opens the roles of SEXTANT_ROLES. */
export async function openRoles(
  config: Config,
  paths: DataPaths,
  { store, secret, analytics, clocks }: Stores,
  { version, log, stopper, publicUrl }: { version: string; log: ServiceLog; stopper: Stopper; publicUrl: () => string },
): Promise<Roles> {
  const { engine } = analytics;
  const maxLogBytes = config.LOG_MAX_MB * 1024 * 1024;
  const policy = createTargetPolicy({
    allowNetworks: config.WEBHOOK_ALLOW_NETWORKS,
    allowLoopback: isPrivateTrial(config),
    publicUrls: [config.PUBLIC_API_URL, config.PUBLIC_EVENTS_URL],
  });
  const uploadFiles = createUploadFiles({
    dir: config.IMPORT_DIR || paths.imports,
    maxBytes: config.IMPORT_MAX_GB * 1e9,
    reserveBytes: config.DISK_RESERVE_MB * 1024 * 1024,
  });
  const opened: OpenedRole[] = [];
  const open = async <T extends OpenedRole>(name: Config["ROLES"][number], work: () => Promise<T>) => {
    if (!config.ROLES.includes(name)) return undefined;
    const role = await work();
    stopper.add(`role ${name}`, role.close);
    opened.push(role);
    return role;
  };
  // Before the roles, so that it is closed after them. Tests of alerts send mail from the API server.
  const mail = await openMail(config, { store, secret, publicUrl });
  if (mail !== undefined) stopper.add("mail", mail.close);
  let lagSeconds = () => 0;
  const api = openApi(engine, config, log, () => lagSeconds());
  const ingest = await open("ingest", () =>
    openIngest({ paths, store, secret, engine, maxLogBytes, uploadFiles, log }),
  );
  if (ingest !== undefined) lagSeconds = ingest.lagSeconds;
  const [providers, wanted] = [await createProviders(config), createWantedWallets()];
  const metricAlerts = metricQuestions(store, api.background, () => lagSeconds());
  const worker = await open("worker", async () =>
    openWorker({
      ...{
        store,
        secret,
        engine,
        policy,
        version,
        publicUrl,
        metricAlerts,
        clocks,
        providers,
        wanted,
        uploadFiles,
        log,
      },
      mail,
      sqlTimeoutMs: config.SQL_TIMEOUT_MS,
      thread: api.answerThread,
    }),
  );
  return {
    api,
    ingest,
    worker,
    sendMail: mail?.sendMail,
    policy,
    noteWallets: worker === undefined || providers.length === 0 ? () => undefined : wanted.add,
    forgetWallet: wanted.forget,
    uploadFiles,
    checks: opened.flatMap(({ checks }) => checks),
    metrics: Registry.merge([api, ...opened].map(({ metrics }) => metrics)),
  };
}

/** Off by default: without a URL of chain 1 there is none. The code of ABIs is loaded with the first. */
async function createProviders(config: Config): Promise<Provider[]> {
  const url = config.RPC_URLS.get(1);
  if (url === undefined) return [];
  const [{ createEns }, { createJsonRpc }] = await Promise.all([
    import("../../providers/ens.ts"),
    import("../../providers/json-rpc.ts"),
  ]);
  const policy = createTargetPolicy({
    allowNetworks: config.RPC_ALLOW_NETWORKS,
    allowLoopback: isPrivateTrial(config),
    publicUrls: [config.PUBLIC_API_URL, config.PUBLIC_EVENTS_URL],
  });
  return [createEns(createJsonRpc({ url, policy }))];
}
