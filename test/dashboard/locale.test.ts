import assert from "node:assert/strict";
import { test } from "node:test";
import { findLocale } from "../../dashboard/src/format/locale.ts";

test("numbers and dates are written as the browser says, or as the first language it names that formats accept", () => {
  assert.equal(findLocale(["de-AT", "en"]), "de-AT");
  for (const unknown of ["en-US@posix", "C", "", "not a language"])
    assert.equal(findLocale([unknown, "fr"]), "fr", unknown);
  assert.equal(findLocale(["en-US@posix"]), "en");
  assert.equal(findLocale([]), "en");
});
