/** The start cannot continue; the message has a line for each reason. */
export class StartError extends Error {
  override readonly name = "StartError";
}
