/** Pages of docs/ that are generated from tables in the code. */
import { ERRORS } from "../../src/contract/errors.ts";
import { SETTINGS } from "../../src/installation/settings.ts";

export function configurationPage(): string {
  const rows = Object.entries(SETTINGS).map(([name, setting]) => {
    const fallback = setting.fallback === "" ? "" : `\`${setting.fallback}\``;
    return `| \`SEXTANT_${name}\` | ${fallback} | ${setting.about} |`;
  });
  return `# Configuration

Settings are environment variables. The service reads them once at start. An unknown or malformed
\`SEXTANT_\` variable stops the start with a message that names it. On Kubernetes a Service called
\`sextant\` puts variables with that prefix into every pod of its namespace: set
\`enableServiceLinks: false\` in the spec of the pod. \`npm run generate\` writes this table from
\`src/installation/settings.ts\`.

| Setting | Default | About |
|---|---|---|
${rows.join("\n")}
`;
}

export function errorsPage(): string {
  const sections = Object.entries(ERRORS).map(
    ([code, error]) => `## ${code}

HTTP ${error.status}, ${error.retry ? "safe to retry" : "do not retry unchanged"}. ${error.title}.

${wrap(error.advice)}
`,
  );
  return `# Errors

Every answer other than 2xx has \`error.code\` (stable: branch on it), \`error.message\` (for people),
\`error.doc_url\`, and where they help \`error.param\` and \`error.details\`. The service shows this
page at \`/docs/errors\`. \`npm run generate\` writes it from \`src/contract/errors.ts\`.

${sections.join("\n")}`;
}

function wrap(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= 100) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}
