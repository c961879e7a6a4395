/** Large answers to statements are parsed and encoded on a thread: a row of 14 MB held the event loop for a second. */
import { ApiError } from "../../contract/errors.ts";
import { type StreamThread, ThreadFailure } from "../../lib/stream-thread.ts";

export type AnswerThread = StreamThread;

/** As the function `encode` of the module, but on the thread. */
export async function* encodeThere<R>(
  thread: AnswerThread,
  module: URL,
  input: AsyncIterable<Uint8Array>,
  options: unknown,
): AsyncGenerator<Buffer, R, void> {
  try {
    return yield* thread.run<R>(module, input, options);
  } catch (cause) {
    if (cause instanceof ThreadFailure && cause.kind === "ApiError") throw new ApiError("BAD_REQUEST", cause.message);
    throw cause;
  }
}
