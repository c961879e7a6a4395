/** The form of the demo, and what people of the invented exchange answered. */
import { FORM_LIMITS, type FormDraft } from "../contract/forms.ts";
import type { Reader, Tx } from "../control/store.ts";
import { buildFields } from "../forms/form.ts";
import { countForms, findForm, insertForm } from "../forms/forms.ts";
import { deleteForm } from "../forms/manage.ts";
import { insertSubmission } from "../forms/submissions.ts";
import { newId } from "../lib/ids.ts";
import { DAY_MS } from "../lib/time.ts";
import { DAYS, SEED } from "./exchange.ts";
import { createRandom } from "./random.ts";

const ANSWERS = 60;

const FORM: FormDraft = {
  title: "Demo: how was your swap?",
  description: "An invented survey of an invented exchange, with invented answers.",
  fields: [
    {
      label: "How easy was it?",
      type: "radio",
      required: true,
      options: [
        { label: "Easy", value: "easy" },
        { label: "So-so", value: "so-so" },
        { label: "Hard", value: "hard" },
      ],
    },
    { label: "What should we do better?", type: "textarea" },
  ],
};

const EASE = [
  { weight: 62, value: "easy" },
  { weight: 26, value: "so-so" },
  { weight: 12, value: "hard" },
];
const WISHES = [
  "",
  "",
  "Limit orders, please.",
  "Fees on Ethereum are too high for small swaps.",
  "The wallet asked me to sign twice.",
  "More pools on Base.",
  "I did not find the bridge at first.",
  "Nothing, I like it.",
  "Show the price impact earlier.",
];

/** The same letters as its project's, so that whoever deletes the demo finds it. */
function formIdOf(projectId: string): string {
  return projectId.replace(/^prj_/, "frm_");
}

/** None where the workspace has no room for one more form. No webhook hears of invented answers. */
export async function createSurvey(tx: Tx, workspaceId: string, projectId: string, nowMs: number): Promise<void> {
  if ((await countForms(tx, workspaceId)) >= FORM_LIMITS.perWorkspace) return;
  const id = formIdOf(projectId);
  const fields = buildFields(FORM.fields, []);
  const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
  await insertForm(tx, {
    id,
    workspaceId,
    title: FORM.title,
    description: FORM.description ?? "",
    fields,
    version: 1,
    ...times,
  });
  const random = createRandom(SEED);
  const [ease = "", wish = ""] = fields.map(({ key }) => key ?? "");
  for (let i = 0; i < ANSWERS; i += 1) {
    const text = random.pick(WISHES);
    const item = { [ease]: random.weigh(EASE).value, ...(text === "" ? {} : { [wish]: text }) };
    const submittedAtMs = nowMs - Math.floor(random.next() ** 1.5 * DAYS * DAY_MS);
    const submission = { id: newId("sub"), submittedAtMs, item, tokenHash: null, spam: null };
    await insertSubmission(tx, workspaceId, id, submission);
  }
}

/** Somebody may have deleted it before. */
export async function deleteSurvey(tx: Tx, workspaceId: string, projectId: string, nowMs: number): Promise<void> {
  if (await hasSurvey(tx, workspaceId, projectId)) await deleteForm(tx, workspaceId, formIdOf(projectId), nowMs);
}

async function hasSurvey(db: Reader, workspaceId: string, projectId: string): Promise<boolean> {
  return (await findForm(db, workspaceId, formIdOf(projectId))) !== undefined;
}
