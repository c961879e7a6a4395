/** A statement of a user that cannot be answered: it is malformed, not allowed or too expensive. */
export class StatementRefused extends Error {
  override readonly name = "StatementRefused";
  /** The message is shown to the user. */
  readonly kind = "statement";
}
