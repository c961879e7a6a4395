const BAR_CHARS = 30;

export interface Progress {
  what: string;
  done: number;
  total: number;
}

/** A progress bar on standard error, redrawn in its line; each kind of work has its own line. */
export function createProgressBar(output: { err(text: string): void }): {
  show(progress: Progress): void;
  end(): void;
} {
  let shown: string | undefined;
  return {
    show({ what, done, total }) {
      const full = total === 0 ? BAR_CHARS : Math.round((done / total) * BAR_CHARS);
      const lead = shown === undefined || shown === what ? "\r" : "\n";
      shown = what;
      output.err(`${lead}[${"#".repeat(full)}${"-".repeat(BAR_CHARS - full)}] ${done} of ${total} ${what}`);
    },
    end() {
      if (shown !== undefined) output.err("\n");
    },
  };
}
