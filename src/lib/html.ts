/** HTML of templates: whatever is put into one is escaped, unless a template made it. */
export interface Html {
  readonly html: string;
}

type Piece = Html | string | number | readonly Piece[] | undefined | false;

/** Escapes everything except pieces that `html` itself made. */
export function html(strings: TemplateStringsArray, ...values: Piece[]): Html {
  let text = strings[0] ?? "";
  values.forEach((value, i) => {
    text += render(value) + (strings[i + 1] ?? "");
  });
  return { html: text };
}

function render(value: Piece): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return escapeText(String(value));
  return "html" in value ? value.html : value.map(render).join("");
}

const SPECIAL = /[&<>"']/;
const NAMES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeText(text: string): string {
  // Most texts have nothing to escape: a page of 20,000 options asks 60,000 times.
  return SPECIAL.test(text) ? text.replaceAll(/[&<>"']/g, (character) => NAMES[character] ?? character) : text;
}
