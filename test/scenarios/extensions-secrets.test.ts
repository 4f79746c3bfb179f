import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, type Plane } from "../../src/index.ts";
import { named, planeWith, tool } from "./extending.ts";
import { fixture, textsOf } from "./support.ts";

suite("a secret of a kind that nothing reads", () => {
  const vault = named(
    "vault",
    ({ addSecrets, addProvider }) => {
      addSecrets("nutbux", () => "s3cret");
      addProvider("show", ({ config }) => String(config.key));
    },
    { secrets: ["nutbux"], providers: ["show"] },
  );
  const shows = (key: string) => ({
    [`tool_${key.length}`]: tool(`tool_${key.length}`, "show", { key }),
  });
  const problemsOf = (plane: Plane) =>
    plane.config().problems.map(({ message, hint }) => `${message}. ${hint}`);

  test("is a problem of the configuration, and neither a provider nor a server gets the text", async () => {
    const key = `\${nutbox:main}`;
    const config = {
      tools: shows(key),
      mcpServers: { one: fixture("echo", [], { env: { KEY: key } }) },
    };
    await using plane = await createPlane({ config: config as never, extensions: [vault] });
    const said = problemsOf(plane);
    assert.equal(said.length, 2);
    for (const one of said)
      assert.match(one, /kind 'nutbox'.*Did you mean \$\{nutbux:…\}\? Known are \$\{file:…\}, /);
    const called = await plane.call(`tool_${key.length}`, {});
    assert.equal(called.error?.code, "NO_PROVIDER");
    assert.match(
      called.error?.message ?? "",
      /in 'key', nothing reads secrets of the kind 'nutbox'/,
    );
    assert.match(
      (await plane.call("one.echo", { message: "hi" })).error?.message ?? "",
      /kind 'nutbox'/,
    );
    const registered = named("late", ({ addToolSource }) =>
      addToolSource({ list: () => [tool("late", "show", { key })] }),
    );
    await using other = await planeWith(vault, registered);
    assert.equal((await other.call("late", {})).ok, false);
  });

  test("is not seen in what is escaped, in what other products write and in what a shell writes", async () => {
    process.env.TEST_HOLDS = `\${nutbox:held}`;
    const texts: [written: string, given?: string][] = [
      ["$${nutbox:main}", "${nutbox:main}"],
      ["${TEST_HOLDS}", "${nutbox:held}"],
      ["${input:some-key}"],
      ["${s:0:3} ${name:7} ${name:+other}"],
      ["${Name:x} ${a b:c} {nut:x} $nut:x"],
      ["${nutbux:main} and more", "s3cret and more"],
    ];
    for (const [written, given = written] of texts) {
      await using plane = await createPlane({
        config: { tools: shows(written) } as never,
        extensions: [vault],
      });
      assert.deepEqual(problemsOf(plane), [], written);
      assert.deepEqual(textsOf(await plane.call(`tool_${written.length}`, {})), [given]);
    }
  });

  test("a provider of an unknown kind is named with those that are known", async () => {
    const config = { tools: { t: tool("t", "shwo") } };
    await using plane = await createPlane({ config: config as never, extensions: [vault] });
    assert.match(
      problemsOf(plane)[0] ?? "",
      /'shwo' is not .*Did you mean 'show'\? Known are function, .*show/,
    );
  });
});
