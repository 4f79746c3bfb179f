import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { createPlane, type Extension, type Plane } from "../../src/index.ts";
import { messageForModel } from "../../src/model/errors.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { named, planeWith } from "./extending.ts";

const listed = async (plane: Plane) =>
  (await plane.extensions.list()).filter(({ builtIn }) => !builtIn);
const errorOf = async (extension: unknown) => {
  await using plane = await planeWith(extension as Extension);
  return (await listed(plane))[0]?.error ?? "";
};

/** What becomes of the code of a file. */
async function errorOfFile(code: string): Promise<string> {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("ours.mjs"), code);
  const config = directory.file("toolplane.json");
  await writeFile(config, JSON.stringify({ extensions: ["./ours.mjs"] }));
  await using plane = await createPlane({ config });
  return (await listed(plane))[0]?.error ?? "";
}

const finds = named("notes", ({ addOperation }) =>
  addOperation({ name: "notes.find", summary: "Find notes", scope: "read", run: () => [] }),
);

suite("what is said about extensions", () => {
  test("a program that brings extensions needs no configuration, and one that brings nothing learns what is missing", async () => {
    await using plane = await createPlane({ extensions: [finds] });
    assert.deepEqual(await plane.extensions.run("notes.find"), []);
    await using empty = await createPlane({ extensions: [] });
    assert.deepEqual(await listed(empty), []);
    await assert.rejects(createPlane({} as never), {
      code: "CONFIG_INVALID",
      message: /'config', or give 'servers' or/,
    });
  });

  test("a call that names an operation learns that it is no tool", async () => {
    await using plane = await planeWith(finds);
    for (const name of ["notes.find", "notes__find"]) {
      const { error } = await plane.call(name, {});
      assert.equal(error?.code, "TOOL_NOT_FOUND");
      assert.match(
        error?.message ?? "",
        /operation .* for people and programs\. Run it with 'toolplane notes find'/,
      );
      // A model has no command line.
      assert.doesNotMatch(
        messageForModel({ message: error?.message ?? "", data: error?.data ?? {} }),
        /toolplane/,
      );
    }
    assert.doesNotMatch((await plane.call("notes.fnd", {})).error?.message ?? "", /operation/);
  });

  test("an input that is no object is named as such", async () => {
    await using plane = await planeWith(finds);
    for (const input of ["text", 1, ["text"]])
      await assert.rejects(plane.extensions.run("notes.find", input as never), {
        code: "USAGE",
        message: /input of 'notes\.find' must be an object/,
      });
  });

  test("all that is wrong with settings is named at once, and is no failure of its code", async () => {
    const settings = {
      type: "object",
      properties: { file: { type: "string" }, max: { type: "integer" } },
      required: ["file"],
      additionalProperties: false,
    };
    const ours = named("ours", () => {}, { settings });
    const error = await errorOf({ use: ours, with: { fil: `\${NOT_SET_HERE}`, max: "many" } });
    assert.match(error, /^Its settings are wrong: /);
    const unread = await errorOf({ use: ours, with: { file: `\${nutbox:main}` } });
    assert.match(unread, /'file' cannot be used: nothing reads secrets of the kind 'nutbox'/);
    for (const part of [
      /NOT_SET_HERE, which is not set/,
      /'fil' is unknown.*did you mean 'file'/,
      /'max' must be/,
      /missing 'file'/,
    ])
      assert.match(error, part);
  });

  test("what is misspelled in an extension, and in what its setup returns, is refused with what is known", async () => {
    const cases: [unknown, RegExp][] = [
      [
        named("x", () => {}, { secret: ["a"] }),
        /it has 'secret', which is unknown; known are name, .*did you mean 'secrets'/,
      ],
      [named("x", () => ({ begin() {} })), /it returns 'begin'; .* start, reload and stop/],
      [named("x", () => ({ strat() {} })), /it returns 'strat', and 'start' may be meant/],
      [named("x", () => ({ start: 1 })), /its 'start' is no function/],
      [named("x", () => 1), /it returns a number/],
      [undefined, /it has no default export/],
    ];
    for (const [extension, message] of cases) assert.match(await errorOf(extension), message);
  });

  test("a missing default export, and the place of what is wrong in the code, are named", async () => {
    assert.match(
      await errorOfFile("export const ours = 1;"),
      /it has no default export\. Write 'export default/,
    );
    assert.match(
      await errorOfFile('export default {\n  name: "x"\n  setup() {} };'),
      /Unexpected identifier.* \(ours\.mjs:3\)$/,
    );
    assert.match(
      await errorOfFile('\nthrow new Error("not today");'),
      /imported: not today \(ours\.mjs:2:7\)$/,
    );
    const throws =
      'const fail = () => {\n  throw new Error("no licence"); };\nexport default { name: "x", setup: () => fail() };';
    assert.equal(await errorOfFile(throws), "its 'setup' failed: no licence (ours.mjs:2:9)");
    const wrong = 'export default { name: "x", setup(to) {\n  to.addOperation({ name: "x" }); } };';
    assert.match(await errorOfFile(wrong), /no name of an operation.*\(ours\.mjs:2:6\)$/);
  });

  test("a column that is no field is named with its operation and its extension", async () => {
    const output = { type: "array", items: { type: "object", properties: { name: {} } } };
    const people = { name: "people.list", summary: "List people", scope: "read" } as const;
    await using plane = await planeWith(
      named("crew", ({ addOperation }) =>
        addOperation({ ...people, output, columns: { nme: "NAME" }, run: (): unknown => [] }),
      ),
    );
    const [crew] = await plane.extensions.list();
    assert.match(
      `${crew?.name}: ${crew?.error}`,
      /^crew: .*the operation 'people\.list' has the column 'nme', which is no field of its 'output': name/,
    );
  });

  test("the event of one that failed has the stack of its code, without secrets", async () => {
    const stacks: (string | null)[] = [];
    await using plane = await planeWith(
      named("x", () => {
        throw new Error("password=correct-horse");
      }),
    );
    plane.on("extension.failed", ({ stack }) => void stacks.push(stack));
    await until("the event", () => stacks.length === 1);
    assert.match(stacks[0] ?? "", /password=\[redacted\]\n\s+at .*extensions-messages/);
  });

  test("an entry that is written wrong is listed as failed, and the others are in use", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(directory.file("a.mjs"), 'export default { name: "a", setup() {} };');
    const entries: [unknown, RegExp, RegExp][] = [
      [
        { use: "./b.mjs", with: "text" },
        /as its 'with', not a string/,
        /as its 'with', not a string/,
      ],
      [
        { use: "./b.mjs", wit: {} },
        /has 'wit', which is unknown.*did you mean 'with'/,
        /unknown key 'wit'.*Did you mean 'with'/,
      ],
      [7, /must be a path, the name of a package, or an object/, /must be a path/],
    ];
    for (const [entry, error, problem] of entries) {
      const config = directory.file("toolplane.json");
      await writeFile(config, JSON.stringify({ extensions: [entry, "./a.mjs"] }));
      await using plane = await createPlane({ config });
      const [wrong, right] = await listed(plane);
      assert.deepEqual([wrong?.state, right?.state], ["failed", "set up"]);
      assert.match(wrong?.error ?? "", error);
      const [said, ...more] = plane
        .config()
        .problems.map(({ message, hint }) => `${message} ${hint}`);
      assert.match(said ?? "", problem);
      assert.deepEqual(more, []);
    }
  });

  test("settings that become wrong leave the earlier ones in force, and the extension is named", async () => {
    await using directory = await temporaryDirectory();
    const config = directory.file("toolplane.json");
    const code = `let now; export default { name: "x", settings: { type: "object", properties: { n: { type: "integer" } } },
      setup({ settings, addOperation }) {
        now = settings;
        addOperation({ name: "xs.now", summary: "Show it", scope: "read", run: () => now });
        return { reload(next) { now = next; }, stop() { globalThis.stoppedX = true; } };
      } };`;
    await writeFile(directory.file("x.mjs"), code);
    const write = (...extensions: object[]) => writeFile(config, JSON.stringify({ extensions }));
    await write({ use: "./x.mjs", with: { n: 1 } });
    {
      await using plane = await createPlane({ config });
      await write({ use: "./x.mjs", with: { n: "two" } });
      await plane.reload();
      const [shown] = await listed(plane);
      assert.match(
        shown?.error ?? "",
        /^Its settings are wrong: 'n' must be .* The earlier settings stay in force\.$/,
      );
      await write({ use: "./x.mjs", wit: { n: 2 } });
      await plane.reload();
      assert.match(
        (await listed(plane))[0]?.error ?? "",
        /'wit', which is unknown.* The earlier settings stay in force/,
      );
      // One that is taken out goes on until the process ends, and is stopped then.
      await write();
      await plane.reload();
      assert.deepEqual(await plane.extensions.run("xs.now"), { n: 1 });
      assert.equal((await listed(plane)).length, 1);
    }
    assert.equal(Reflect.get(globalThis, "stoppedX"), true);
  });
});
