/** A checked answer, before response-item.ts turns it into its stored form. */
export type Answer =
  | { kind: "plain"; value: string | number | boolean }
  | { kind: "choice"; value: string }
  | { kind: "choices"; values: readonly string[] }
  | { kind: "identity"; address: string }
  | { kind: "file"; name: string; size: number | null; type: string | null };

/** A problem with an answer: the end of a sentence for programs, and a sentence for the person who typed it. */
export interface Problem {
  api: string;
  page: string;
}
