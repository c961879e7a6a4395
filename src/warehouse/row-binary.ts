export { decodeRow } from "../engines/row-binary.ts";
export { createEventWriter as createRowWriter } from "./stored-row.ts";
