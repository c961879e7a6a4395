/**
 * The answer of a chart for people with a link. Reports name the project in each row, and its id is nobody's business
 * there. The text is changed instead of its values, because an answer has integers that a parsed number would round; in a
 * JSON text the quotes of a value are escaped, so a key is found and nothing else.
 */
import type { ChartAnswer, Column } from "./answer.ts";

const COLUMN = "project_id";

export function createPublicTexts() {
  /** Many viewers get one answer. */
  const texts = new WeakMap<ChartAnswer, string>();
  return (answer: ChartAnswer, projectId: string): string => {
    const known = texts.get(answer);
    if (known !== undefined) return known;
    const { columns, text } = answer;
    const shown = columns.filter(({ name }) => name !== COLUMN);
    const rest = withoutPart(text.slice(headOf(columns).length), `"${COLUMN}":${JSON.stringify(projectId)}`);
    // Retention has it by position in tuples, and SQL under any name: the place stays, and is empty.
    const whole = `${headOf(shown)}${rest}`.replaceAll(projectId, "");
    texts.set(answer, whole);
    return whole;
  };
}

function headOf(columns: readonly Column[]): string {
  return `{"meta":${JSON.stringify(columns)}`;
}

/** Without an element of a list or an object, wherever it stands there. */
function withoutPart(text: string, part: string): string {
  return text.replaceAll(`${part},`, "").replaceAll(`,${part}`, "").replaceAll(part, "");
}
