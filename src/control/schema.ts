import type { AccountTables } from "./tables/accounts.ts";
import type { AlertTables } from "./tables/alerts.ts";
import type { FormTables } from "./tables/forms.ts";
import type { KeptTables } from "./tables/kept.ts";
import type { MailTables } from "./tables/mail.ts";
import type { TenantTables } from "./tables/tenants.ts";
import type { WorkTables } from "./tables/work.ts";

/** The control store's tables as the code sees them. migrations/ creates them, and the files schema.* list them. */
export interface ControlSchema
  extends TenantTables,
    KeptTables,
    FormTables,
    AccountTables,
    WorkTables,
    AlertTables,
    MailTables {}
