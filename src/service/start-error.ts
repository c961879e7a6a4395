/** The start cannot continue; the message is one line. */
export class StartError extends Error {
  override readonly name = "StartError";
}
