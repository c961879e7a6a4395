/** Writes what an app says about the wallets of a project. */
import type { AnalyticsEngine } from "../engines/port.ts";
import type { WalletLabel, WalletProperty } from "../engines/wallet-rows.ts";

export type WriteWallets = (
  projectId: string,
  rows: {
    readonly properties?: readonly Omit<WalletProperty, "project_id">[];
    readonly labels?: readonly Omit<WalletLabel, "project_id">[];
  },
) => Promise<void>;

export function createWriteWallets(engine: Pick<AnalyticsEngine, "writeWallets">): WriteWallets {
  return async (projectId, { properties = [], labels = [] }) => {
    const of = <Row>(row: Row) => ({ ...row, project_id: projectId });
    await engine.writeWallets({ properties: properties.map(of), labels: labels.map(of) });
  };
}
