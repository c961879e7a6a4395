/** A condition as the service keeps it. */
export interface Condition {
  field: string;
  op: string;
  value?: unknown;
  filters?: readonly unknown[];
}
