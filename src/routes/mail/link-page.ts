/** The pages behind the links of mails. A page asks before it acts: programs that check mail open every link. */
import { hostedDocument } from "../../http/hosted/form-page.ts";
import { FORM_HEADERS } from "../../http/hosted/form-style.ts";
import type { Answer } from "../../http/route.ts";
import { type Html, html } from "../../lib/html.ts";

interface Choice {
  readonly what: string;
  readonly label: string;
}

export interface LinkPage {
  readonly title: string;
  readonly text: string;
  readonly choices: readonly Choice[];
}

export function pageAnswer({ title, text, choices }: LinkPage, status = 200): Answer {
  const body = html`<h1>${title}</h1>
<p class="lead">${text}</p>
${choices.map(renderChoice)}`;
  const page = hostedDocument(title, body);
  return { status, text: page, contentType: "text/html; charset=utf-8", headers: { ...FORM_HEADERS } };
}

function renderChoice({ what, label }: Choice): Html {
  return html`<form method="post"><input type="hidden" name="what" value="${what}"><button class="send" type="submit">${label}</button></form>
`;
}

const STOP = { what: "stop", label: "Stop all mail of this workspace" };

export const LINK_PAGES = {
  confirm: (address: string, workspace: string): LinkPage => ({
    title: "Confirm your address",
    text: `The workspace “${workspace}” wants to send reports and alerts to ${address}.`,
    choices: [
      { what: "confirm", label: "Confirm" },
      { what: "stop", label: "No, send nothing" },
    ],
  }),
  confirmed: (address: string): LinkPage => ({
    title: "Your address is confirmed",
    text: `Reports and alerts go to ${address}. Each of them has a link that ends it.`,
    choices: [],
  }),
  tooOld: {
    title: "This link is too old",
    text: "Please ask whoever wants to send you reports to ask you again.",
    choices: [],
  },
  unsubscribe: {
    title: "Unsubscribe",
    text: "Do you want no more mails like the one that led you here?",
    choices: [{ what: "unsubscribe", label: "Unsubscribe" }, STOP],
  },
  unsubscribed: {
    title: "You are unsubscribed",
    text: "You get no more mails like the one that led you here.",
    choices: [STOP],
  },
  stopped: { title: "No more mail", text: "This workspace sends you nothing any more.", choices: [] },
  unknown: {
    title: "This link does not work",
    text: "It may have been cut off. Please open it again from the mail.",
    choices: [],
  },
} as const satisfies Record<string, LinkPage | ((...texts: string[]) => LinkPage)>;
