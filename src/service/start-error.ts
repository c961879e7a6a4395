/** A start that cannot go on; the message is one line. */
export class StartError extends Error {
  override readonly name = "StartError";
}
