import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { buildDeclarations, exportedDeclarations, silentMembers } from "./fixtures/declarations.ts";

/** The interfaces whose members have to be explained. */
const explained =
  /^(\w+Verbs|Plane|PlaneOptions|PlaneCallOptions|CallOptions|CallReport|\w*Outcome|Toolset|ToolListing|Principal|ErrorReport|AgentLimits|HeldView|Answer|Remember|PlanChoice)$/;

suite("the declarations of the library", () => {
  let types: string;
  before(async () => {
    types = await buildDeclarations();
  });

  test("explain every export, the functions and classes with an example", async () => {
    const exported = await exportedDeclarations(types);
    assert.ok(exported.length > 100, `only ${exported.length} exports are found`);
    const silent = exported.filter(({ comment, kind }) => {
      const needsExample = kind === "function" || kind === "class" || kind === "const";
      return comment === "" || kind === "" || (needsExample && !comment.includes("@example"));
    });
    assert.deepEqual(
      silent.map(({ name, file }) => `${name} (${file})`),
      [],
    );
  });

  test("explain every member of the interfaces that programs use", async () => {
    assert.deepEqual(await silentMembers(types, explained), []);
  });
});
