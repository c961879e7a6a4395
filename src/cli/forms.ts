import type { Command } from "commander";
import { WORKSPACE_OPTION } from "./context.ts";
import type { CliDeps } from "./deps.ts";
import type { Tenant, Window } from "./form-actions.ts";

/**
 * Loaded on demand: the rules of forms took 0.85 s of the 1 s of processor time in which every other command starts.
 */
const loadActions = () => import("./form-actions.ts");

export function addFormCommands(program: Command, deps: CliDeps): void {
  const forms = program.command("forms").description("manage forms and read their submissions");
  const command = (name: string, about: string) =>
    forms
      .command(name)
      .description(about)
      .option(...WORKSPACE_OPTION);
  const paged = (one: Command) =>
    one.option("--limit <n>", "maximum number of results", "50").option("--page <n>", "page of the results", "1");
  paged(command("list", "list forms, newest first")).action(async (options: Window, self: Command) =>
    (await loadActions()).listForms(deps, options, self),
  );
  command("create [file]", "create a form from a JSON file; without one, or with -, from standard input").action(
    async (file: string | undefined, options: Tenant, self: Command) =>
      (await loadActions()).createFromFile(deps, file ?? "-", options, self),
  );
  command("show <formId>", "show a form, its fields and how many submissions it has").action(
    async (formId: string, options: Tenant, self: Command) => (await loadActions()).show(deps, formId, options, self),
  );
  command("delete <formId>", "delete a form and its submissions; this cannot be undone").action(
    async (formId: string, options: Tenant, self: Command) => (await loadActions()).remove(deps, formId, options, self),
  );
  paged(command("submissions <formId>", "show a form's submissions, newest first"))
    .option("--spam", "suspected spam instead")
    .action(async (formId: string, options: Window & { spam?: boolean }, self: Command) =>
      (await loadActions()).showSubmissions(deps, formId, options, self),
    );
}
