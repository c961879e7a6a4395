/** A table that the caller makes, not the engine: rows of `system.tables` for BI tools. */
export interface ConstantRelation {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: ConstantType }[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

export type ConstantType =
  | "String"
  | "UInt8"
  | "UInt64"
  | "Nullable(UInt64)"
  | "Nullable(String)"
  | "DateTime"
  | "Array(String)";
