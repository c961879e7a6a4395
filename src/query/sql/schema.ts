/** What editors show: tables, columns and functions of users' statements. */
import { FUNCTIONS } from "../../engines/user-sql/functions.ts";
import { TABLES } from "../../engines/user-sql/tables.ts";

export const SQL_SCHEMA = {
  tables: TABLES.map(({ name, about, columns }) => ({
    name,
    description: about,
    columns: columns.map((column) => ({ name: column.name, type: column.type, description: column.about })),
  })),
  functions: FUNCTIONS.filter(({ about }) => about !== "").map(({ name, kind, about }) => ({
    name,
    kind,
    description: about,
  })),
} as const;
