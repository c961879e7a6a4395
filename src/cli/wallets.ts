import type { Command } from "commander";
import { recordAudit, renameTarget } from "../accounts/audit.ts";
import { ADDRESS_PROBLEM } from "../contract/addresses.ts";
import { getProjectId, getWorkspace, WORKSPACE_OPTION, withStore } from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { printOne } from "./output.ts";

interface Options {
  workspace?: string;
  project?: string;
}

export function addWalletCommands(program: Command, deps: CliDeps): void {
  const wallets = program.command("wallets").description("erase a wallet and what is known of its person");
  wallets
    .command("erase")
    .argument("<address>", "its address, as events have it; an EVM address in any letter case")
    .description("remove its events, those of visitors that used no other wallet, its properties and labels")
    .option(...WORKSPACE_OPTION)
    .option("--project <id>", "the project; optional if there is only one")
    .action((address: string, options: Options, command: Command) => erase(deps, address, options, command));
}

async function erase(deps: CliDeps, text: string, options: Options, command: Command): Promise<void> {
  await withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const projectId = await getProjectId(store.read, workspace.id, options.project);
    const warehouse = await deps.openEvents();
    try {
      const nowMs = deps.clock.nowMs();
      const done = await warehouse.eraseWallet(projectId, text, nowMs);
      if (done === undefined) throw new CliError(`the address ${ADDRESS_PROBLEM}, or one that events have`);
      const { address, receipt } = done;
      const { id, events, visitors, properties, labels, parked } = receipt;
      const details = { events, visitors, properties, labels };
      const entry = { userId: null, actor: "command line", action: "eraseProfile", target: id, details };
      await store.write(async (tx) => {
        await renameTarget(tx, workspace.id, address, id);
        await recordAudit(tx, workspace.id, entry, nowMs);
      });
      const counts = `${events} events, ${visitors} visitors, ${properties} properties, ${labels} labels, ${parked} parked events`;
      const left = receipt.remaining.map((line) => `  ${line}`).join("\n");
      printOne(command, deps, receipt, `Erased ${counts}. Receipt ${id}.\nWhat remains:\n${left}`);
    } finally {
      await warehouse.close();
    }
  });
}
