import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Plane } from "../../src/index.ts";
import { argumentCases } from "../fixtures/argument-cases.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { assertFailed, callsAt, errorOf, fixture, planeOf } from "./support.ts";

suite("arguments", () => {
  let directory: TemporaryDirectory;
  let plane: Plane;
  const echoLog = () => directory.file("echo.log");
  const strictLog = () => directory.file("strict.log");

  before(async () => {
    directory = await temporaryDirectory();
    plane = await planeOf({
      echo: fixture("echo", ["--log", echoLog()]),
      strict: fixture("strict", ["--log", strictLog()]),
    });
    await plane.tools.list();
  });
  after(async () => {
    await plane.stop();
    await directory[Symbol.asyncDispose]();
  });

  /** What reached the server while `run` ran. */
  async function received<T>(log: string, run: () => Promise<T>) {
    const before = callsAt(log).length;
    const outcome = await run();
    return { outcome, calls: callsAt(log).slice(before) };
  }

  for (const { title, input, expected } of argumentCases) {
    const verb =
      expected === "error" ? "are refused" : expected.repaired ? "are repaired" : "are taken";
    test(`arguments given as ${title} ${verb}`, async () => {
      const { outcome, calls } = await received(echoLog(), () =>
        plane.call("echo.echo_all", input),
      );
      if (expected === "error") {
        assert.deepEqual(calls, [], "nothing reaches the server");
        assertFailed(outcome, "INVALID_ARGUMENTS", "refused");
      } else {
        assert.deepEqual(calls, [{ name: "echo_all", arguments: expected.arguments }]);
        assert.equal(outcome.call.repaired, expected.repaired);
        assert.deepEqual(outcome.result?.structuredContent, expected.arguments);
      }
    });
  }

  test("a word that is not an object never runs as an empty one", async () => {
    for (const input of ["hello", "undefined", "None", "True", "-", "{{", "{hello"]) {
      const { outcome, calls } = await received(echoLog(), () =>
        plane.call("echo.echo_all", input),
      );
      assert.deepEqual(calls, [], JSON.stringify(input));
      assertFailed(outcome, "INVALID_ARGUMENTS", "refused");
    }
  });

  test("a wrong type, a missing argument and a wrong format are all told at once, without contact", async () => {
    const { outcome, calls } = await received(echoLog(), () =>
      plane.call("echo.nested", { options: { depth: "deep" }, tags: [1], when: "tomorrow" }),
    );
    assert.deepEqual(calls, []);
    assertFailed(outcome, "INVALID_ARGUMENTS", "refused");
    const { message, data } = errorOf(outcome);
    const paths = (data.problems as { path: string }[]).map(({ path }) => path);
    assert.deepEqual(paths.sort(), ["/options/depth", "/tags/0", "/when"]);
    assert.match(message, /\/options\/depth must be integer, got string/);
    const missing = await plane.call("echo.nested", { tags: [] });
    assert.match(
      errorOf(missing).message,
      /missing 'options'.*It takes: options \(object, required\)/,
    );
    const negative = await plane.call("echo.slow", { ms: -1 });
    assert.match(errorOf(negative).message, /\/ms must be >= 0/);
  });

  test("a misspelt argument is answered with the one that was meant", async () => {
    const outcome = await plane.call("echo.echo", { mesage: "hi" });
    assertFailed(outcome, "INVALID_ARGUMENTS", "refused");
    assert.match(errorOf(outcome).message, /'mesage' → 'message'/);
  });

  const extras = { name: "n", extra: 1, x_note: "kept by its pattern" };
  const undeclared: { tool: string; input: object; arrives: object; dropped: string[] }[] = [
    { tool: "closed", input: extras, arrives: { name: "n" }, dropped: ["extra", "x_note"] },
    { tool: "silent", input: extras, arrives: { name: "n" }, dropped: ["extra", "x_note"] },
    { tool: "open", input: extras, arrives: extras, dropped: [] },
    {
      tool: "typed_extras",
      input: { name: "n", extra: 1 },
      arrives: { name: "n", extra: 1 },
      dropped: [],
    },
    {
      tool: "pattern_extras",
      input: extras,
      arrives: { name: "n", x_note: "kept by its pattern" },
      dropped: ["extra"],
    },
    { tool: "closed_empty", input: { name: "n" }, arrives: {}, dropped: ["name"] },
  ];
  for (const { tool, input, arrives, dropped } of undeclared) {
    test(`undeclared arguments of a tool that is ${tool} arrive only when its schema allows them`, async () => {
      const { outcome, calls } = await received(strictLog(), () =>
        plane.call(`strict.${tool}`, input),
      );
      assert.deepEqual(outcome.call.dropped, dropped);
      assert.deepEqual(calls, [{ name: tool, arguments: arrives }]);
      for (const name of dropped) assert.match(outcome.call.warnings.join(), new RegExp(name));
    });
  }

  test("what the schema says about other arguments is checked before the server sees them", async () => {
    const { outcome, calls } = await received(strictLog(), () =>
      Promise.all([
        plane.call("strict.typed_extras", { extra: "no number" }),
        plane.call("strict.closed_nested", { inner: { name: "n", extra: 1 } }),
        plane.call("strict.closed", { count: 1 }),
      ]),
    );
    assert.deepEqual(calls, []);
    for (const refused of outcome) assertFailed(refused, "INVALID_ARGUMENTS", "refused");
  });
});
