import { renameTarget } from "../../accounts/audit.ts";
import { ADDRESS_PROBLEM } from "../../contract/addresses.ts";
import { EraseAnswer, WalletWriteQuery } from "../../contract/profile-writes.ts";
import { ProfileParams } from "../../contract/profiles.ts";
import { validationError } from "../../contract/validation-error.ts";
import { pickProject } from "../../control/report-projects.ts";
import { type Checked, type Route, writeRoute } from "../../http/route.ts";
import type { EraseWallet, Erasure } from "../../profiles/erase.ts";

interface EraseNeeds {
  eraseWallet: EraseWallet;
}

/** Goes from the erasure, which is no work of the control store, to the answer. */
interface Work {
  done?: Erasure;
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
      check: (): Checked<Work> => ({ ok: true, value: {} }),
      answers: { 200: EraseAnswer },
      async prepare({ db, key, parts: { query, params }, checked, nowMs, signal }) {
        const project = await pickProject(db, key, query.project_id, "query.project_id");
        const done = await eraseWallet(project.id, params.address, nowMs, signal);
        if (done === undefined) throw validationError(new Map([["params.address", ADDRESS_PROBLEM]]));
        checked.done = done;
      },
      async handle({ key, checked: { done } }, tx) {
        const { address = "", receipt } = done ?? {};
        const { id = "", events, visitors, properties, labels } = receipt ?? {};
        // The address is erased, so that the audit log has the receipt instead, also where the wallet was labelled.
        await renameTarget(tx, key.workspaceId, address, id);
        const details = { events, visitors, properties, labels };
        return { status: 200, body: receipt, audit: { target: id, details } };
      },
    }),
  ];
}
