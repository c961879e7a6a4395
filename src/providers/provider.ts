/** What a provider may tell of a wallet from outside. Undefined: it does not tell. Null: there is none. */
export interface WalletFacts {
  /** A name that leads back to the wallet. */
  readonly ens?: string | null;
  /** The address of a picture. */
  readonly avatar?: string | null;
  readonly net_worth_usd?: number | null;
  readonly tokens?: readonly WalletToken[] | null;
}

export interface WalletToken {
  readonly chain_id: string;
  readonly token_address: string;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly price: number | null;
  readonly balance: string;
  readonly balance_usd: number | null;
}

/**
 * Tells something of wallets that events do not hold. It is asked by a background job only, of one wallet at a time, and
 * its answers are kept until they expire.
 */
export interface Provider {
  /** In the mark that a wallet was asked for; a rename asks for all wallets again. */
  readonly name: string;
  /** How long an answer is believed: with any fact, and with none. */
  readonly keptDays: { readonly found: number; readonly nothing: number };
  /** Throws a ProviderFailed when it cannot be asked now: the wallet is tried again later. */
  find(address: string, signal: AbortSignal): Promise<WalletFacts>;
}

/** The message says neither an address of the provider nor a credential: both may be secret. */
export class ProviderFailed extends Error {
  override readonly name = "ProviderFailed";
}
