import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigProblem } from "../model/config/config.ts";
import { principalOf } from "../model/principal.ts";
import { workNotFound } from "./visible-work.ts";

const principal = principalOf({ user: "ada", persona: "Atlas" });
const problem: ConfigProblem = {
  file: "/secret/place/jobs.json",
  line: 3,
  path: "[1].task_graph",
  severity: "error",
  message: "tasks wait for each other: a → b → a",
  hint: "Remove one.",
  owner: null,
  entry: { kind: "job", name: "digest" },
};
const told = (name: string, problems: ConfigProblem[]) =>
  workNotFound("job", name, { seen: [{ name: "report" }], problems, principal }).message;

test("what is written and cannot be used is reported from what is not there, without the place it stands at", () => {
  assert.equal(
    told("digest", [problem]),
    "Job 'digest' cannot be used. task_graph: tasks wait for each other: a → b → a. Remove one. 'toolplane config validate' shows where.",
  );
  assert.equal(told("reprot", [problem]), "No job 'reprot'. Did you mean 'report'?");
  assert.equal(told("other", []), "No job 'other'. 'toolplane jobs list' shows what there is.");
});

test("what is wrong with something of another persona is not told", () => {
  assert.match(told("digest", [{ ...problem, owner: "Nova" }]), /^No job 'digest'/);
  assert.match(told("digest", [{ ...problem, owner: "Atlas" }]), /cannot be used/);
  assert.match(told("digest", [{ ...problem, severity: "warning" }]), /^No job 'digest'/);
});
