/** The answer of `GET /v0/query/schema`. */
export interface SqlSchema {
  tables: readonly {
    name: string;
    description: string;
    columns: readonly { name: string; type: string; description: string }[];
  }[];
  functions: readonly { name: string; kind: string; description: string }[];
}
