/** The wallets whose profiles people look at, until a run has asked for them. In memory: a restart forgets wishes. */

export interface WantedWallets {
  /** Called for every answer with profiles: costs nothing but a set of texts. */
  add(projectId: string, addresses: readonly string[]): void;
  /** A wallet that was erased: whoever erases one has just looked at it. */
  forget(projectId: string, address: string): void;
  /** The wallets that were added last, at most so many. They are no longer wanted. */
  take(most: number): WantedWallet[];
}

export interface WantedWallet {
  readonly projectId: string;
  readonly address: string;
}

/** Ten pages of search of the default size. */
const MOST = 1_000;
const EVM = /^0x[0-9a-f]{40}$/;

export function createWantedWallets(most = MOST): WantedWallets {
  const wanted = new Map<string, WantedWallet>();
  return {
    add(projectId, addresses) {
      for (const address of addresses) {
        if (!EVM.test(address)) continue;
        const key = `${projectId} ${address}`;
        wanted.delete(key);
        wanted.set(key, { projectId, address });
      }
      for (const key of wanted.keys()) {
        if (wanted.size <= most) break;
        wanted.delete(key);
      }
    },
    forget(projectId, address) {
      wanted.delete(`${projectId} ${address}`);
    },
    take(count) {
      const taken = [...wanted].slice(-count);
      for (const [key] of taken) wanted.delete(key);
      return taken.map(([, wallet]) => wallet).reverse();
    },
  };
}
