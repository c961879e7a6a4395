/** An answer that was checked, before it becomes what is kept (response-item.ts). */
export type Answer =
  | { kind: "plain"; value: string | number | boolean }
  | { kind: "choice"; value: string }
  | { kind: "choices"; values: readonly string[] }
  | { kind: "identity"; address: string }
  | { kind: "file"; name: string; size: number | null; type: string | null };

/** What is wrong with an answer: the end of a sentence for programs, and a sentence for the person who typed it. */
export interface Problem {
  api: string;
  page: string;
}
