import { randomBytes } from "node:crypto";
import type { Form } from "../../forms/form.ts";
import { formPage } from "./form-page.ts";

/** Empty pages of forms, kept until their form changes: to render the largest form took 70 ms at every view. */
export interface KeptPages {
  /** The page of this version of a form, with a token; undefined when it is not kept. */
  find(formId: string, version: number, token: string): string | undefined;
  /** Renders a page and keeps it. */
  put(form: Form, token: string): string;
}

interface Kept {
  version: number;
  beforeToken: string;
  afterToken: string;
}

/** Some ten of the largest forms, or thousands of usual ones. */
const MOST_CHARS = 32 * 1024 * 1024;

export function createKeptPages(mostChars = MOST_CHARS): KeptPages {
  // Nobody can write this into a form before it is made.
  const place = randomBytes(16).toString("hex");
  const pages = new Map<string, Kept>();
  let chars = 0;
  const sizeOf = ({ beforeToken, afterToken }: Kept) => beforeToken.length + afterToken.length;
  const forget = (formId: string) => {
    const page = pages.get(formId);
    if (page !== undefined) chars -= sizeOf(page);
    pages.delete(formId);
  };
  return {
    find(formId, version, token) {
      const page = pages.get(formId);
      if (page?.version !== version) return undefined;
      // The oldest of the map is forgotten first, so what is asked for moves to its end.
      pages.delete(formId);
      pages.set(formId, page);
      return page.beforeToken + token + page.afterToken;
    },
    put(form, token) {
      const text = formPage({ form, token: place, typed: new Map(), problems: new Map() });
      const [beforeToken = "", afterToken = ""] = text.split(place);
      const page = { version: form.version, beforeToken, afterToken };
      forget(form.id);
      pages.set(form.id, page);
      chars += sizeOf(page);
      for (const formId of pages.keys()) {
        if (chars <= mostChars) break;
        forget(formId);
      }
      return beforeToken + token + afterToken;
    },
  };
}
