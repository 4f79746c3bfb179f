import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { scanDefinition } from "./scan-definition.ts";

type Disguise = { class: string; definition: object };

function load<T>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(`../../../../test/fixtures/poisoning/${name}.json`, import.meta.url), "utf8"));
}

const isSerious = (definition: object) => scanDefinition(definition).some(({ severity }) => severity === "high");

test("nine of ten disguises are serious, of those that the scan was made with and of those that were kept aside", () => {
  for (const half of ["development", "kept"]) {
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
  ];
  for (const part of parts) assertGrows(part, 2_500);
});

/** Of the processor, which others on the machine do not change; a new text each time. */
function timeOf(part: string, length: number, at: number): number {
  const description = `${at}${part.repeat(Math.ceil(length / part.length))}`;
  const before = process.cpuUsage();
  scanDefinition({ description });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The best of several. Eight times the text may take 32 times as long; it would take 64 if each letter met each. */
function assertGrows(part: string, length: number): void {
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 10; round++) {
    small = Math.min(small, timeOf(part, length, round));
    large = Math.min(large, timeOf(part, 8 * length, round));
    if (round > 0 && large < 8 * 4 * Math.max(small, 0.5)) return;
  }
  assert.fail(`${part}: ${small} ms, then ${large} ms`);
}
