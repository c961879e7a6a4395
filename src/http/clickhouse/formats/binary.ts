/** RowBinary, which JDBC reads (Metabase, DBeaver), and Native, which clickhouse-go (Grafana) and clickhouse-connect read. */
import {
  type AnswerColumn,
  type Cell,
  type ColumnType,
  entriesOf,
  itemsOf,
  listOf,
  type ScalarType,
} from "../types.ts";
import { type ByteWriter, createByteWriter } from "./bytes.ts";
import { type AnswerRow, type Encoder, type Format, HEADS, type Head } from "./format.ts";

const CONTENT_TYPE = "application/octet-stream";
/** From this revision of the protocol on, a byte before each column's data says whether it is specially encoded. */
const REVISION_WITH_ENCODING_BYTE = 54_454;

export const BINARY_FORMATS: readonly Format[] = [
  ...HEADS.map((head) => ({
    name: `RowBinary${head}`,
    contentType: CONTENT_TYPE,
    encoder: (columns: readonly AnswerColumn[]) => rowBinary(columns, head),
  })),
  {
    name: "Native",
    contentType: CONTENT_TYPE,
    encoder: (columns, { protocolRevision }) => native(columns, protocolRevision),
  },
];

const NOTHING = Buffer.alloc(0);

function rowBinary(columns: readonly AnswerColumn[], head: Head): Encoder {
  const put = createByteWriter();
  return {
    begin() {
      if (head === "") return NOTHING;
      put.length(columns.length);
      for (const { name } of columns) put.text(name);
      if (head === "WithNamesAndTypes") for (const { typeName } of columns) put.text(typeName);
      return put.take();
    },
    rows(rows) {
      for (const row of rows) for (const [i, { type }] of columns.entries()) putValue(put, type, row[i] ?? null);
      return put.take();
    },
    end: () => NOTHING,
  };
}

function putValue(put: ByteWriter, type: ColumnType, value: Cell): void {
  if (type.kind === "Nullable") {
    put.byte(value === null ? 1 : 0);
    if (value !== null) putValue(put, type.of, value);
  } else if (type.kind === "Array") {
    const items = listOf(value);
    put.length(items.length);
    for (const item of items) putValue(put, type.of, item);
  } else if (type.kind === "Map") {
    const entries = entriesOf(value);
    put.length(entries.length);
    for (const [key, one] of entries) {
      putValue(put, type.key, key);
      putValue(put, type.of, one);
    }
  } else if (type.kind === "Tuple") {
    for (const [i, item] of type.items.entries()) putValue(put, item, itemsOf(value)[i] ?? null);
  } else put.scalar(type, value ?? emptyOf(type));
}

/** Blocks of columns. An answer without rows is one block without rows, so that the client knows the columns. */
function native(columns: readonly AnswerColumn[], revision: number): Encoder {
  const put = createByteWriter();
  let sent = false;
  function block(rows: readonly AnswerRow[]): Buffer {
    sent = true;
    if (revision > 0) putBlockInfo(put);
    put.length(columns.length);
    put.length(rows.length);
    for (const [i, { name, typeName, type }] of columns.entries()) {
      put.text(name);
      put.text(typeName);
      if (revision >= REVISION_WITH_ENCODING_BYTE) put.byte(0);
      const values = rows.map((row) => row[i] ?? null);
      putColumn(put, type, values);
    }
    return put.take();
  }
  return {
    begin: () => NOTHING,
    rows: (rows) => (rows.length === 0 ? NOTHING : block(rows)),
    end: () => (sent ? NOTHING : block([])),
  };
}

/** Numbered fields: 1 is a flag for totals that overflowed, 2 the number of a bucket; 0 ends them. */
function putBlockInfo(put: ByteWriter): void {
  put.length(1);
  put.byte(0);
  put.length(2);
  put.int32(-1);
  put.length(0);
}

function putColumn(put: ByteWriter, type: ColumnType, values: readonly Cell[]): void {
  if (type.kind === "Nullable") {
    for (const value of values) put.byte(value === null ? 1 : 0);
    putColumn(put, type.of, values);
  } else if (type.kind === "Array") {
    const lists = values.map(listOf);
    putOffsets(put, lists);
    putColumn(put, type.of, lists.flat(1));
  } else if (type.kind === "Map") {
    const lists = values.map(entriesOf);
    putOffsets(put, lists);
    const entries = lists.flat(1);
    const keys = entries.map(([key]) => key);
    const ones = entries.map(([, one]) => one);
    putColumn(put, type.key, keys);
    putColumn(put, type.of, ones);
  } else if (type.kind === "Tuple") {
    for (const [i, item] of type.items.entries()) {
      const column = values.map((value) => itemsOf(value)[i] ?? null);
      putColumn(put, item, column);
    }
  } else for (const value of values) put.scalar(type, value ?? emptyOf(type));
}

function putOffsets(put: ByteWriter, lists: readonly (readonly unknown[])[]): void {
  let end = 0;
  for (const list of lists) {
    end += list.length;
    put.uint64(end);
  }
}

/** Stands in the place of a null. */
function emptyOf({ kind }: ScalarType): Cell {
  if (kind === "String") return "";
  if (kind === "UUID") return "00000000-0000-0000-0000-000000000000";
  if (kind === "Date" || kind === "Date32") return "1970-01-01";
  return kind === "DateTime" || kind === "DateTime64" ? "1970-01-01 00:00:00" : 0;
}
