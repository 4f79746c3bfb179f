import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fixturePath } from "@toolplane/test/fixtures/fixture-path";
import { growthOf, maxGrowth } from "@toolplane/test/samples/growth";
import { scanDefinition } from "./scan-definition.ts";

type Disguise = { class: string; definition: object };

function load<T>(name: string): T[] {
  return JSON.parse(readFileSync(fixturePath("poisoning", `${name}.json`), "utf8"));
}

const isSerious = (definition: object) =>
  scanDefinition(definition).some(({ severity }) => severity === "high");

test("nine of ten disguises are serious, of those that the scan was made with and of those that were kept aside", () => {
  for (const half of ["development", "kept", "kept-later"]) {
    const all = load<Disguise>(half);
    const missed = all.filter(({ definition }) => !isSerious(definition)).map((one) => one.class);
    assert.ok(
      missed.length <= all.length / 10,
      `${half}: ${missed.length} of ${all.length} pass: ${missed.join(", ")}`,
    );
  }
});

test("no innocent definition is serious", () => {
  const all = load<object>("innocent");
  assert.ok(all.length > 50);
  assert.deepEqual(all.filter(isSerious), []);
});

test("the work of a scan grows with the text and not faster", () => {
  const parts = [
    "ignore all ",
    "A".repeat(30),
    ".- ",
    "&#105;",
    "eht resu ",
    "гнорируй",
    "不要告诉",
    "i g n ",
    "1gn0r3 ",
    "a@b.",
    "ab",
    "<a-b-c_d.",
    '"role" :',
    "=41",
    "1-2 ",
    "alfa bravo ",
    "ignoreway ",
    "🟢🔴",
    "M12345678901234567890\n",
    "เพิกเฉยคำสั่ง",
    "puuza maagizo ",
  ];
  let texts = 0;
  for (const part of parts) {
    const growth = growthOf((size) => {
      // A new text each time: what was scanned is remembered.
      texts += 1;
      scanDefinition({ description: `${texts}${part.repeat(Math.ceil(size / part.length))}` });
    }, 2_500);
    assert.ok(growth < maxGrowth, `'${part}': eight times as much took ${growth} times as long`);
  }
});
