/**
 * The answer of a chart for people with a link. Reports name the project in each row, and its id is nobody's business
 * there. The text is changed instead of its values, because an answer has integers that a parsed number would round; in a
 * JSON text the quotes of a value are escaped, so a key is found and nothing else.
 */
import type { ChartAnswer } from "./answer.ts";

const COLUMN = '{"name":"project_id","type":"String"}';

export function createPublicTexts() {
  /** Many viewers get one answer. */
  const texts = new WeakMap<ChartAnswer, string>();
  return (answer: ChartAnswer, projectId: string): string => {
    const known = texts.get(answer);
    if (known !== undefined) return known;
    const text = withoutPart(withoutPart(answer.text, COLUMN), `"project_id":${JSON.stringify(projectId)}`);
    texts.set(answer, text);
    return text;
  };
}

/** Without an element of a list or an object, wherever it stands there. */
function withoutPart(text: string, part: string): string {
  return text.replaceAll(`${part},`, "").replaceAll(`,${part}`, "").replaceAll(part, "");
}
