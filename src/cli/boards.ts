import type { Command } from "commander";
import type { BoardOptions, ImportOptions } from "./board-actions.ts";
import { WORKSPACE_OPTION } from "./context.ts";
import type { CliDeps } from "./deps.ts";

/** Loaded on demand, as those of forms: reports and schemas take longer to load than the other commands to run. */
const loadActions = () => import("./board-actions.ts");

export function addBoardCommands(program: Command, deps: CliDeps): void {
  const boards = program.command("boards").description("list boards, and keep them as files");
  const command = (name: string, about: string) =>
    boards
      .command(name)
      .description(about)
      .option(...WORKSPACE_OPTION);
  const ofProject = (one: Command) => one.option("--project <id>", "the project; optional if there is only one");
  ofProject(command("list", "list the boards of a project, newest first")).action(
    async (options: BoardOptions, self: Command) => (await loadActions()).listAll(deps, options, self),
  );
  command("export <boardId>", "print a board with its charts as JSON").action(
    async (boardId: string, options: BoardOptions) => (await loadActions()).print(deps, boardId, options),
  );
  ofProject(command("import [file]", "create a board from such JSON; without a file, or with -, from standard input"))
    .option("--without-segments", "let charts ask without the segments that they name")
    .action(async (file: string | undefined, options: ImportOptions, self: Command) =>
      (await loadActions()).createFromFile(deps, file ?? "-", options, self),
    );
}
