import type { Transaction } from "kysely";
import type { Backend } from "../../engines/control.ts";
import * as tenants from "./0001_tenants.ts";
import * as requests from "./0002_requests.ts";
import * as forms from "./0003_forms.ts";
import * as webhooks from "./0004_webhooks.ts";
import * as projectSettings from "./0005_project_settings.ts";
import * as retention from "./0006_retention.ts";
import * as writeChecks from "./0007_write_checks.ts";
import * as listCounts from "./0008_list_counts.ts";
import * as webhookList from "./0009_webhook_list.ts";
import * as biTokens from "./0010_bi_tokens.ts";
import * as accounts from "./0011_accounts.ts";
import * as demoProjects from "./0012_demo_projects.ts";
import * as annotations from "./0013_annotations.ts";
import * as savedQueries from "./0014_saved_queries.ts";
import * as moneyUnit from "./0015_money_unit.ts";
import * as webhookSources from "./0016_webhook_sources.ts";
import * as leases from "./0017_leases.ts";
import * as tasks from "./0018_tasks.ts";
import * as segments from "./0019_segments.ts";
import * as boards from "./0020_boards.ts";
import * as boardLinks from "./0021_board_links.ts";
import * as boardPublic from "./0022_board_public.ts";
import * as imports from "./0023_imports.ts";
import * as alerts from "./0024_alerts.ts";
import * as deliveryCauses from "./0025_delivery_causes.ts";
import * as alertMetrics from "./0026_alert_metrics.ts";
import * as importLeases from "./0027_import_leases.ts";
import * as mail from "./0028_mail.ts";
import * as timeZones from "./0029_time_zones.ts";
import * as uploads from "./0030_uploads.ts";
import * as alertReads from "./0031_alert_reads.ts";
import * as importEnds from "./0032_import_ends.ts";
import * as alertQuota from "./0033_alert_quota.ts";

interface Migration {
  version: number;
  name: string;
  up(tx: Transaction<unknown>, backend: Backend): Promise<void>;
}

/** In order. A released migration is never edited: add the next number. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: "tenants", up: tenants.up },
  { version: 2, name: "requests", up: requests.up },
  { version: 3, name: "forms", up: forms.up },
  { version: 4, name: "webhooks", up: webhooks.up },
  { version: 5, name: "project_settings", up: projectSettings.up },
  { version: 6, name: "retention", up: retention.up },
  { version: 7, name: "write_checks", up: writeChecks.up },
  { version: 8, name: "list_counts", up: listCounts.up },
  { version: 9, name: "webhook_list", up: webhookList.up },
  { version: 10, name: "bi_tokens", up: biTokens.up },
  { version: 11, name: "accounts", up: accounts.up },
  { version: 12, name: "demo_projects", up: demoProjects.up },
  { version: 13, name: "annotations", up: annotations.up },
  { version: 14, name: "saved_queries", up: savedQueries.up },
  { version: 15, name: "money_unit", up: moneyUnit.up },
  { version: 16, name: "webhook_sources", up: webhookSources.up },
  { version: 17, name: "leases", up: leases.up },
  { version: 18, name: "tasks", up: tasks.up },
  { version: 19, name: "segments", up: segments.up },
  { version: 20, name: "boards", up: boards.up },
  { version: 21, name: "board_links", up: boardLinks.up },
  { version: 22, name: "board_public", up: boardPublic.up },
  { version: 23, name: "imports", up: imports.up },
  { version: 24, name: "alerts", up: alerts.up },
  { version: 25, name: "delivery_causes", up: deliveryCauses.up },
  { version: 26, name: "alert_metrics", up: alertMetrics.up },
  { version: 27, name: "import_leases", up: importLeases.up },
  { version: 28, name: "mail", up: mail.up },
  { version: 29, name: "time_zones", up: timeZones.up },
  { version: 30, name: "uploads", up: uploads.up },
  { version: 31, name: "alert_reads", up: alertReads.up },
  { version: 32, name: "import_ends", up: importEnds.up },
  { version: 33, name: "alert_quota", up: alertQuota.up },
];
