/** A mistake in the file or in the command, in words for the person who has the file. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}
