import assert from "node:assert/strict";
import { test } from "node:test";
import { writeText } from "./write-own.ts";

test("only the page of an alert is a link of ours, whatever an event says", () => {
  const [evil, link] = ["https://evil.example/claim", "https://s.example/app?a=1"];
  const context = { publicUrl: "https://s.example", unsubscribeUrl: "https://s.example/m/x" };
  const { html } = writeText({ subject: "Alert", text: `Alert\n\n${evil}\nPage: ${evil}\n\n${link}`, link }, context);
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url);
  assert.deepEqual(links, [link, context.unsubscribeUrl]);
});
