import assert from "node:assert/strict";
import { test } from "node:test";
import { hiddenValue } from "../../model/catalogue/hidden-value.ts";
import { hideFixed, keepFixed } from "./overlay.ts";

const overlay = {
  arguments: [
    { name: "unit", fixed: "celsius" },
    { name: "key", fixed: "${WEATHER_KEY}" },
    { name: "days", default: 3 },
  ],
};

test("a fixed value is hidden, a reference to a variable is shown", () => {
  assert.deepEqual(hideFixed(overlay).arguments, [
    { name: "unit", fixed: hiddenValue },
    { name: "key", fixed: "${WEATHER_KEY}" },
    { name: "days", default: 3 },
  ]);
});

test("what is set again without having been seen stays as it was, and what is new counts", () => {
  const again = {
    arguments: [
      { name: "unit", fixed: hiddenValue },
      { name: "days", fixed: 5 },
    ],
  };
  assert.deepEqual(keepFixed(again, overlay), {
    arguments: [
      { name: "unit", fixed: "celsius" },
      { name: "days", fixed: 5 },
    ],
  });
});

test("the placeholder alone never becomes a value", () => {
  const given = { arguments: [{ name: "other", fixed: hiddenValue }, "nonsense"] };
  assert.deepEqual(keepFixed(given, overlay), { arguments: [{ name: "other" }, "nonsense"] });
  assert.deepEqual(keepFixed(given, undefined), { arguments: [{ name: "other" }, "nonsense"] });
});
