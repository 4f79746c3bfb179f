import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, type Extension, type ExtensionSetup, type Plane } from "../../src/index.ts";
import { until } from "../fixtures/until.ts";
import { greets, named, planeWith, tool } from "./extending.ts";

const errorsOf = async (extensions: readonly unknown[]) => {
  await using plane = await createPlane({ config: {}, extensions: extensions as Extension[] });
  return (await listed(plane)).map(({ error }) => error);
};

/** Without what is built in. */
const listed = async (plane: Plane) =>
  (await plane.extensions.list()).filter(({ builtIn }) => !builtIn);

suite("extensions that go wrong", () => {
  test("what throws when it is read is named, and the plane goes on", async () => {
    const thrown = () => {
      throw new Error("not today");
    };
    const hostile = Object.create(null, { toString: { value: thrown } });
    const errors = await errorsOf([
      Object.defineProperty({ setup() {} }, "name", { get: thrown }),
      Object.defineProperty({ name: "x", setup() {} }, "about", { get: thrown }),
      named("hostile", () => {
        throw hostile;
      }),
    ]);
    assert.deepEqual(errors, [
      "it cannot be read: not today",
      "it cannot be read: not today",
      "its 'setup' failed: something that cannot be shown",
    ]);
  });

  test("of two with one name, or with one kind of provider, the first counts", async () => {
    const provider = ({ addProvider }: ExtensionSetup) => addProvider("greet", () => "hi");
    const [, name, kind] = await errorsOf([
      named("a", provider),
      named("a", () => {}),
      named("b", provider),
    ]);
    assert.match(name ?? "", /another extension is called 'a'/);
    assert.match(kind ?? "", /provider 'greet' is one of the extension 'a' already/);
  });

  test("what is added in another way than it is taken is refused at once, with the signature", async () => {
    const cases: [(to: Record<string, (...given: unknown[]) => unknown>) => unknown, RegExp][] = [
      [
        (to) => to.aroundExecute?.("x", async () => null),
        /'aroundExecute' was called with 2 arguments\. It is aroundExecute\(stage: \(call, next\) => …\)/,
      ],
      [(to) => to.aroundExecute?.("x"), /'stage' of 'aroundExecute' is a text\./],
      [
        (to) => to.aroundExecute?.((_a: 1, _b: 2, _c: 3) => null),
        /'stage' of 'aroundExecute' takes 3 parameters and gets 2/,
      ],
      [(to) => to.addProvider?.(() => 1, "greet"), /'kind' of 'addProvider' is a function/],
      [(to) => to.addProvider?.("greet", { make() {} }), /no valid 'create': it is missing/],
      [(to) => to.addToolSource?.([]), /'source' of 'addToolSource' is a list/],
      [(to) => to.addApprovalChannel?.({ name: "chat" }), /has no valid 'ask': it is missing/],
      [(to) => to.onEvent?.(() => 1, "tool.cal"), /'type' of 'onEvent' is no type of event/],
      [(to) => to.addPanel?.({ title: "", facts: () => [] }), /no valid 'title': it is empty/],
      [(to) => to.addRanker?.(), /'rank' of 'addRanker' is missing/],
    ];
    for (const [add, message] of cases) {
      const [error] = await errorsOf([named("x", (to) => void add(to as never))]);
      assert.match(error ?? "nothing", message);
    }
  });

  test("an operation that is declared wrong is refused at once", async () => {
    const list = { type: "array", items: { type: "object", properties: { name: {} } } };
    const right = { name: "a.b", summary: "Does it", scope: "read", run: () => 1 };
    const wrong: [object, RegExp][] = [
      [{ name: "ab" }, /'ab' is no name of an operation/],
      [{ summary: undefined }, /has no 'summary'/],
      [{ scope: "adimn" }, /must be one of read, call, admin/],
      [{ input: [] }, /"type": "object"/],
      [{ input: { type: "string" } }, /"type": "object"/],
      [{ run: undefined }, /has no function 'run'/],
      [{ columns: { id: 1 } }, /the operation 'a\.b' has no title for the column 'id'/],
      [{ output: list, columns: { nme: "NAME" } }, /'a\.b' has the column 'nme'.*: name\./],
    ];
    for (const [change, message] of wrong) {
      const [error] = await errorsOf([
        named("x", ({ addOperation }) => addOperation({ ...right, ...change } as never)),
      ]);
      assert.match(error ?? "", message);
    }
  });

  test("an operation that gives no JSON, or too much of it, fails without its secrets", async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const runs: [() => unknown, RegExp][] = [
      [() => circle, /circular/],
      [() => 1n, /BigInt/],
      [() => "x".repeat(17 * 1024 * 1024), /it gives more than 16 MiB/],
      [() => Promise.reject(new Error("password=correct-horse")), /failed: password=\[redacted\]$/],
    ];
    for (const [run, message] of runs) {
      await using plane = await planeWith(
        named("x", ({ addOperation }) =>
          addOperation({ name: "a.b", summary: "Does it", scope: "read", run }),
        ),
      );
      await assert.rejects(plane.extensions.run("a.b"), { code: "PROVIDER_FAILED", message });
    }
  });

  test("what one adds after it failed or stopped is refused, and its tools stay away", async () => {
    let late = () => {};
    let changed = async () => {};
    const setup = (to: ExtensionSetup) => {
      late = () => to.addPanel({ title: "late", facts: () => [] });
      ({ changed } = greets(to));
    };
    const failed = named("x", (to) => {
      setup(to);
      throw new Error("no licence");
    });
    await using plane = await planeWith(failed);
    assert.throws(late, /after its setup/);
    await changed();
    assert.equal((await plane.call("greet", {})).error?.code, "TOOL_NOT_FOUND");
    assert.deepEqual((await listed(plane))[0]?.adds, []);
    const stopped = await planeWith(named("x", setup));
    assert.equal((await stopped.call("greet", {})).ok, true);
    await stopped.stop();
    await changed();
    assert.throws(late, /after its setup/);
  });

  test("one that fails after its setup is stopped, and so is one whose tools cannot be listed", async () => {
    const steps: string[] = [];
    const stop = () => void steps.push("stop");
    const start = () => Promise.reject(new Error("the port is taken"));
    const unlisted = named("unlisted", ({ addToolSource }) => {
      addToolSource({ list: () => Promise.reject(new Error("no such directory")) });
      return { stop };
    });
    {
      await using plane = await planeWith(
        named("unstarted", () => ({ start, stop })),
        unlisted,
      );
      await until("the second to be stopped", () => steps.length === 1);
      plane.start();
      const isFailed = async () => (await listed(plane)).every(({ state }) => state === "failed");
      await until("the first to fail", isFailed);
    }
    assert.deepEqual(steps, ["stop", "stop"]);
  });

  test("a start that is still going on ends before the stop, and no other begins", async () => {
    const steps: string[] = [];
    const opened = Promise.withResolvers<void>();
    const slow = {
      async start() {
        steps.push("start");
        await opened.promise;
        steps.push("started");
      },
      stop: () => void steps.push("stop"),
    };
    const plane = await planeWith(
      named("slow", () => slow),
      named("next", () => ({ start: () => void steps.push("start of the next") })),
    );
    plane.start();
    await until("the start", () => steps.length === 1);
    const stopped = plane.stop();
    opened.resolve();
    await stopped;
    assert.deepEqual(steps, ["start", "started", "stop"]);
  });

  test("one reload after the other, also while calls run", async () => {
    const steps: string[] = [];
    const first = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<string>();
    const ours = named("x", (to) => {
      to.addProvider("greet", () => answered.promise);
      to.addToolSource({ list: () => [tool("greet")] });
      return {
        async reload() {
          steps.push("begin");
          await first.promise;
          steps.push("end");
        },
      };
    });
    await using plane = await planeWith(ours);
    const call = plane.call("greet", {});
    const reloads = [plane.reload(), plane.reload()];
    await until("the first reload", () => steps.length === 1);
    first.resolve();
    await Promise.all(reloads);
    answered.resolve("hi");
    assert.equal((await call).ok, true);
    assert.deepEqual(steps, ["begin", "end", "begin", "end"]);
  });

  test("several sources of one extension are all there, and a wrong tool costs itself alone", async () => {
    const logged: string[] = [];
    const second = [tool("two")];
    let changed = async () => {};
    await using plane = await planeWith(
      named("x", ({ addProvider, addToolSource, onEvent: _ }) => {
        addProvider("greet", () => "hi");
        addToolSource({ list: () => [tool("one"), { name: "broken" }] });
        ({ changed } = addToolSource({ list: () => second }));
      }),
    );
    plane.on("extension.log", ({ text }) => void logged.push(text));
    const areThere = async (...names: string[]) => {
      for (const name of names) assert.equal((await plane.call(name, {})).ok, true, name);
    };
    await areThere("one", "two");
    second.push(tool("three"), { name: "worse" } as never);
    await changed();
    await areThere("one", "two", "three");
    assert.match(logged.join("\n"), /the tool 'worse' is left out: .*description/s);
    second.splice(0, 9, null as never);
    await changed();
    await areThere("one");
  });

  test("a list that fails later is logged, and the earlier one stays", async () => {
    const logged: string[] = [];
    let list: () => object[] = () => [tool("greet")];
    let changed = async () => {};
    await using plane = await planeWith(
      named("x", ({ addProvider, addToolSource }) => {
        addProvider("greet", () => "hi");
        ({ changed } = addToolSource({ list: () => list() as [] }));
      }),
    );
    plane.on("extension.log", ({ text }) => void logged.push(text));
    list = () => {
      throw new Error("the directory is gone");
    };
    await changed();
    await until("the line", () => logged.length > 0);
    assert.deepEqual(logged, ["its tools could not be listed again: the directory is gone"]);
    assert.equal((await plane.call("greet", {})).ok, true);
  });
});
