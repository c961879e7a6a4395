import assert from "node:assert/strict";
import type { FormView } from "../../src/contract/forms.ts";
import { createPageTokens } from "../../src/forms/page-token.ts";
import { TEST_SECRET } from "./api.ts";

/** A form with one field of every type, as a client sends it. */
export const EVERY_FIELD = {
  title: "Everything we ask",
  description: "One field of every type.",
  fields: [
    { label: "About you", type: "heading" },
    { label: "This text explains what comes next.", type: "paragraph" },
    { label: "Name", type: "short_text", required: true, help: "As your friends call you" },
    { label: "Biography", type: "long_text" },
    { label: "Email", type: "email", required: true },
    { label: "Website", type: "url" },
    { label: "Age", type: "number" },
    { label: "Rating", type: "rating", required: true },
    { label: "Birthday", type: "date" },
    {
      label: "Country",
      type: "select",
      required: true,
      options: [
        { label: "Germany", value: "de" },
        { label: "Austria", value: "at" },
      ],
    },
    {
      label: "Size",
      type: "radio",
      options: [
        { label: "Small", value: "s" },
        { label: "Large", value: "l" },
      ],
    },
    { label: "I agree", type: "checkbox", required: true },
    {
      label: "Interests",
      type: "checkbox_group",
      options: [
        { label: "DeFi & staking", value: "defi" },
        { label: "Games", value: "games" },
        { label: "Art", value: "art" },
      ],
    },
    { label: "CV", type: "file" },
    { label: "Wallet", type: "wallet", required: true },
    { label: "X handle", type: "social" },
  ],
} as const;

export const WALLET = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/** Answers to it as JSON. */
export const EVERY_ANSWER = {
  name: "Ada",
  biography: "Line one\nLine two",
  email: "ada@example.com",
  website: "https://example.com/ada",
  age: 36,
  rating: 4,
  birthday: "1815-12-10",
  country: "at",
  size: "l",
  i_agree: true,
  interests: ["games", "defi"],
  cv: { name: "cv.pdf", size: 1234, type: "application/pdf" },
  wallet: { address: WALLET, chainId: 1 },
  x_handle: "@ada",
} as const;

/** The same answers as poll returns them. */
export const EVERY_ITEM = {
  ...EVERY_ANSWER,
  country: "Austria",
  size: "Large",
  interests: [
    { label: "DeFi & staking", value: "defi" },
    { label: "Games", value: "games" },
  ],
  wallet: WALLET,
};

export function callApi(
  api: { apiUrl: string },
  key: { text: string },
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${api.apiUrl}${path}`, {
    method,
    headers: { "x-api-key": key.text, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

export async function makeForm(
  api: { apiUrl: string },
  key: { text: string },
  form: unknown = { title: "Contact", fields: [{ label: "Name", type: "short_text", required: true }] },
): Promise<FormView> {
  const answer = await callApi(api, key, "POST", "/api/forms", form);
  assert.equal(answer.status, 201, await answer.clone().text());
  return ((await answer.json()) as { data: FormView }).data;
}

export function sendJson(
  api: { apiUrl: string },
  formId: string,
  answers: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${api.apiUrl}/f/${formId}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(answers),
  });
}

export type Item = Record<string, unknown> & { submissionId: string };

export async function pollItems(api: { apiUrl: string }, key: { text: string }, formId: string): Promise<Item[]> {
  const answer = await callApi(api, key, "GET", `/api/webhooks/${formId}/poll`);
  assert.equal(answer.status, 200, await answer.clone().text());
  const body = (await answer.json()) as { isSuccess: boolean; data: { items: Item[] } };
  assert.equal(body.isSuccess, true);
  return body.data.items;
}

/** Posts the hosted page's form like a browser, unless the headers differ. */
export function postPage(
  api: { apiUrl: string },
  formId: string,
  entries: Record<string, string> | [string, string][],
  headers: Record<string, string> = { accept: "text/html" },
): Promise<Response> {
  return fetch(`${api.apiUrl}/f/${formId}`, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(entries).toString(),
  });
}

/** A token of a page that was opened a while ago, made with the secret of test/support/api.ts. */
export function pageToken(formId: string, agoMs = 60_000): string {
  return createPageTokens(TEST_SECRET).issue(formId, Date.now() - agoMs);
}
