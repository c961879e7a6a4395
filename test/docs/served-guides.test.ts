import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { openGuides } from "../../src/routes/docs/guides.ts";

const NAMES = readdirSync(resolve(import.meta.dirname, "../../docs"))
  .filter((file) => file.endsWith(".md"))
  .map((file) => file.replace(/\.md$/, ""));

/** What a reader sees besides code. */
const proseOf = (page: string) =>
  page
    .replaceAll(/<style>[\s\S]*?<\/style>|<pre[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, "")
    .replaceAll(/<[^>]+>/g, "");

describe("the guides as pages", () => {
  const guides = openGuides();

  test("every guide is served, and no mark of its text is left over", () => {
    for (const name of NAMES) {
      const page = guides.find(name);
      assert.ok(page, name);
      assert.match(page, /<h1 id=/, name);
      assert.doesNotMatch(proseOf(page), /```|\]\(|\*\*|^\|/m, name);
    }
  });

  test("links between guides lead to guides and headings that exist; others are text or of the web", () => {
    let links = 0;
    for (const name of NAMES) {
      const [, main = ""] = /<main>([\s\S]*)<\/main>/.exec(guides.find(name) ?? "") ?? [];
      for (const [, href = ""] of main.matchAll(/href="([^"]+)"/g)) {
        if (/^https?:/.test(href)) continue;
        links += 1;
        const [path = "", anchor] = href.split("#");
        const target = path === "/docs/guides" ? guides.index() : guides.find(path.split("/").at(-1) || name);
        assert.ok(target, `${name}: ${href}`);
        if (anchor !== undefined) assert.ok(target.includes(`id="${anchor}"`), `${name}: ${href}`);
      }
    }
    assert.ok(links > 50);
  });

  test("pictures are left out, with their texts", () => {
    const docs = resolve(import.meta.dirname, "../../docs");
    const pictures = NAMES.flatMap((name) =>
      [...readFileSync(join(docs, `${name}.md`), "utf8").matchAll(/^!\[(.+)\]\((.+)\)$/gm)].map(
        ([, about = "", file = ""]) => ({ name, about, file }),
      ),
    );
    assert.ok(pictures.length >= 4);
    for (const { name, about, file } of pictures) {
      assert.ok(statSync(join(docs, file)).size < 150_000, file);
      assert.ok(!(guides.find(name) ?? "").includes(about), `${name}: ${about}`);
    }
  });

  test("a name that is no guide, or leaves the folder, finds nothing", () => {
    for (const name of ["nowhere", "../README", "decisions/README", "grafana-dashboard.json", "", "__proto__"])
      assert.equal(guides.find(name), undefined, name);
  });

  test("a text cannot become markup", () => {
    assert.match(guides.find("script") ?? "", /&lt;script defer/);
    assert.doesNotMatch(guides.find("script") ?? "", /<script/);
  });
});
