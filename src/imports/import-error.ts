/** A mistake in the file or in what was asked for, in words for the person who has the file. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}
