import type { Command } from "commander";
import { type CliDeps, CliError } from "./deps.ts";

export function addMailCommands(program: Command, deps: CliDeps): void {
  const mail = program.command("mail").description("try the mail server of the settings");
  mail
    .command("test")
    .argument("<address>", "where the mail goes")
    .description("send a mail at once, without the outbox; exit code 1 if the server does not take it")
    .action(async (address: string) => {
      const { isSent, message } = await deps.sendTestMail(address);
      if (!isSent) throw new CliError(message);
      deps.out(`${message}\n`);
    });
}
