import { renameTarget } from "../../accounts/audit.ts";
import { EraseAnswer, WalletWriteQuery } from "../../contract/profile-writes.ts";
import { ProfileParams } from "../../contract/profiles.ts";
import { pickProject } from "../../control/report-projects.ts";
import { type Checked, type Route, writeRoute } from "../../http/route.ts";
import type { EraseWallet, Receipt } from "../../profiles/erase.ts";
import { checkAddress } from "./wallets.ts";

interface EraseNeeds {
  eraseWallet: EraseWallet;
}

/** The receipt goes from the erasure, which is no work of the control store, to the answer. */
interface Erasure {
  readonly address: string;
  receipt?: Receipt;
}

export function eraseRoutes({ eraseWallet }: EraseNeeds): Route[] {
  return [
    writeRoute({
      method: "DELETE",
      path: "/v0/profiles/:address",
      operationId: "eraseProfile",
      tag: "Profiles",
      summary: "Erase a wallet",
      description:
        "Removes its events, those of visitors that used no other wallet, its properties and labels. Reports no longer count them. The answer is a receipt that does not name the wallet, and says what remains.",
      access: "profiles:write",
      role: "admin",
      params: ProfileParams,
      query: WalletWriteQuery,
      check: (parts): Checked<Erasure> => {
        const checked = checkAddress(parts);
        return checked.ok ? { ok: true, value: { address: checked.value } } : checked;
      },
      answers: { 200: EraseAnswer },
      async prepare({ db, key, parts: { query }, checked, nowMs, signal }) {
        const project = await pickProject(db, key, query.project_id, "query.project_id");
        checked.receipt = await eraseWallet(project.id, checked.address, nowMs, signal);
      },
      async handle({ key, checked: { address, receipt } }, tx) {
        // The address is erased, so that the audit log has the receipt instead, also where the wallet was labelled.
        const { id = "", events, visitors, properties, labels } = receipt ?? {};
        await renameTarget(tx, key.workspaceId, address, id);
        const details = { events, visitors, properties, labels };
        return { status: 200, body: receipt, audit: { target: id, details } };
      },
    }),
  ];
}
