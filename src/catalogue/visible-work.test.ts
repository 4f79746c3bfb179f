import assert from "node:assert/strict";
import { test } from "node:test";
import { jobsFor, visibleWork, type WorkViewer, workKey } from "./visible-work.ts";

const all = [
  { name: "write" },
  { name: "read", persona: "Nova" },
  { name: "read" },
  { name: "read", persona: "Atlas" },
  { name: "plan", persona: "Atlas" },
];

const cases: [title: string, viewer: WorkViewer, seen: string[]][] = [
  [
    "a caller without a persona sees what is shared",
    { persona: null, personas: [] },
    ["read", "write"],
  ],
  [
    "a persona sees its own in the place of a shared one",
    { persona: "Atlas", personas: [] },
    ["plan@Atlas", "read@Atlas", "write"],
  ],
  [
    "a persona that has nothing of its own sees what is shared",
    { persona: "Zoe", personas: [] },
    ["read", "write"],
  ],
  [
    "others may look at a persona's, in any spelling",
    { persona: null, personas: ["atlas"] },
    ["plan@Atlas", "read@Atlas", "write"],
  ],
  [
    "of two personas both are seen",
    { persona: null, personas: ["Atlas", "Nova"] },
    ["plan@Atlas", "read@Atlas", "read@Nova", "write"],
  ],
  [
    "what one of two has nothing in the place of stays",
    { persona: null, personas: ["Atlas", "Zoe"] },
    ["plan@Atlas", "read", "read@Atlas", "write"],
  ],
  [
    "the shared ones can be left out",
    { persona: null, personas: ["Atlas", "-shared"] },
    ["plan@Atlas", "read@Atlas"],
  ],
  [
    "without them alone all personas are meant",
    { persona: null, personas: ["-shared"] },
    ["plan@Atlas", "read@Atlas", "read@Nova"],
  ],
  ["a persona cannot look at another's", { persona: "Atlas", personas: ["Nova"] }, ["write"]],
];

for (const [title, viewer, seen] of cases) {
  test(title, () => {
    assert.deepEqual(
      visibleWork(all, viewer).map(workKey),
      seen.map((one) => one.replace("@", "\0")),
    );
  });
}

test("a job is for the personas that it names, and visible to every caller who asks for none", () => {
  const jobs = [{ personas: ["Atlas"] }, { personas: ["Nova", "Zoe"] }];
  const at = (persona: string | null, personas: string[]) =>
    jobsFor(jobs, { persona, personas }).map((job) => jobs.indexOf(job));
  assert.deepEqual([at(null, []), at("Atlas", []), at("Bob", [])], [[0, 1], [0], []]);
  assert.deepEqual([at(null, ["zoe"]), at(null, ["Atlas", "Nova"])], [[1], [0, 1]]);
  assert.deepEqual(at("atlas", []), at("Atlas", []));
  const own = visibleWork(all, { persona: "atlas", personas: [] }).map(workKey);
  assert.ok(own.includes("read\0Atlas"), "and does it with what is its own, however it is written");
});
