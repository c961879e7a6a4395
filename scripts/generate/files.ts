import { clickhouseStatements } from "./clickhouse-statements.ts";
import { clusterStatements } from "./cluster-statements.ts";
import { postgresSchema, sqliteSchema } from "./control-schema.ts";
import { dependenciesPage } from "./dependencies.ts";
import { openapiDocument } from "./openapi.ts";
import { configurationPage, errorsPage } from "./pages.ts";
import { architecturePage } from "./rooms.ts";

/** The current text of every file that is generated and committed. `postgresUrl` must name an empty database. */
export async function generatedFiles(postgresUrl: string): Promise<Record<string, string>> {
  return {
    "openapi.json": `${JSON.stringify(openapiDocument(), null, 2)}\n`,
    "ARCHITECTURE.md": architecturePage(),
    "docs/configuration.md": configurationPage(),
    "docs/errors.md": errorsPage(),
    "docs/dependencies.md": dependenciesPage(),
    "test/engines/clickhouse/cluster-ddl.golden.sql": await clusterStatements(),
    "test/engines/clickhouse/partitions.golden.sql": await clickhouseStatements(),
    "src/control/schema.sqlite.sql": await sqliteSchema(),
    "src/control/schema.postgres.txt": await postgresSchema(postgresUrl),
  };
}
