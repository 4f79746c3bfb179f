import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, defineExtension } from "../../src/index.ts";
import { until } from "../fixtures/until.ts";
import { greets, named, planeWith, tool } from "./extending.ts";
import { errorOf, fixture, textsOf, within } from "./support.ts";

suite("parts of extensions that go wrong", () => {
  test("a stage that hangs takes the time of the call, and nothing runs for it later", async () => {
    let later: (() => Promise<unknown>) | undefined;
    let runs = 0;
    await using plane = await planeWith(
      named("x", (to) => {
        to.addProvider("greet", () => ++runs);
        to.addToolSource({ list: () => [tool("greet")] });
        to.aroundExecute((_, next) => {
          if (runs === 0) return next();
          later = next;
          return new Promise(() => undefined);
        });
      }),
    );
    // What only a first call waits for is there then.
    assert.deepEqual(textsOf(await plane.call("greet", {})), ["1"]);
    const { code, message } = errorOf(await plane.call("greet", {}, { timeoutMs: 1_000 }));
    assert.equal(code, "TIMEOUT");
    assert.match(message, /An extension had the call/);
    await assert.rejects(later?.() ?? Promise.resolve(), { code: "TIMEOUT" });
    assert.equal(runs, 1);
    const ending = new AbortController();
    const cancelled = plane.call("greet", {}, { timeoutMs: 0, signal: ending.signal });
    ending.abort();
    assert.equal(errorOf(await within("the end of the call", cancelled)).code, "CANCELLED");
  });

  test("the time that the tool takes is none of the stage", async () => {
    const answered = Promise.withResolvers<string>();
    await using plane = await planeWith(
      named("x", (to) => {
        to.addProvider("greet", (_spec, _args, { onProgress }) => {
          // Progress extends the limit of the provider beyond the one of the stage.
          const beat = setInterval(
            () => onProgress({ progress: 1, total: null, message: null }),
            50,
          );
          setTimeout(() => answered.resolve("hi"), 1_500);
          return answered.promise.finally(() => clearInterval(beat));
        });
        to.addToolSource({ list: () => [tool("greet")] });
        to.aroundExecute((_, next) => next());
      }),
    );
    assert.deepEqual(textsOf(await plane.call("greet", {}, { timeoutMs: 1_000 })), ["hi"]);
  });

  test("a stage that asks for the result twice executes the tool once", async () => {
    let runs = 0;
    await using plane = await planeWith(
      named("x", (to) => {
        to.addProvider("greet", () => ++runs);
        to.addToolSource({ list: () => [tool("greet")] });
        to.aroundExecute(async (_, next) => (await Promise.all([next(), next()]))[1]);
        to.aroundExecute((_, next) => next().then(next));
      }),
    );
    assert.deepEqual(textsOf(await plane.call("greet", {})), ["1"]);
    assert.equal(runs, 1);
  });

  test("a stage that returns nothing is an error, not an empty result", async () => {
    await using plane = await planeWith(
      named("x", (to) => {
        greets(to);
        to.aroundExecute(
          (async (_: unknown, next: () => Promise<unknown>) => void (await next())) as never,
        );
      }),
    );
    assert.match(
      errorOf(await plane.call("greet", {})).message,
      /a stage returns what 'next' gives/,
    );
  });

  test("a ranker that gives no list changes nothing; a scanner's unknown severity is the highest", async () => {
    const ranker = named("ranker", ({ addRanker }) => addRanker((() => undefined) as never));
    const config = { mcpServers: { one: fixture("echo") } };
    {
      await using plane = await createPlane({ config, extensions: [ranker] });
      assert.ok((await plane.search({ query: "echo a message", limit: 3 })).tools.length > 1);
    }
    const found = [{ severity: "critical", excerpt: "forbidden" }];
    const scanner = named("scanner", ({ addScanner }) => addScanner((() => found) as never));
    await using plane = await createPlane({ config, extensions: [scanner] });
    assert.equal(errorOf(await plane.call("one.echo", { message: "hi" })).code, "TOOL_QUARANTINED");
  });

  test("a transport that gives no connection, throws at once or fails to close ends no process", async () => {
    const opens: [string, unknown, RegExp][] = [
      ["nothing", async () => undefined, /gave no connection with 'send' and 'close'/],
      [
        "throws",
        () => {
          throw new Error("no route");
        },
        /could not connect: no route/,
      ],
      [
        "closing",
        () => ({
          send() {
            throw new Error("cannot send");
          },
          close() {
            throw new Error("cannot close");
          },
        }),
        /cannot send/,
      ],
      [
        "noise",
        (_: string, { onMessage }: { onMessage(message: unknown): void }) => ({
          send: () => onMessage({ id: 1n }),
          close() {},
        }),
        /a message that is not JSON/,
      ],
    ];
    for (const [name, open, message] of opens) {
      const transport = named("x", ({ addTransport }) => addTransport("odd", open as never), {
        transports: ["odd"],
      });
      const config = { mcpServers: { far: { url: "odd://far" } } };
      await using plane = await createPlane({ config, extensions: [transport] });
      assert.match(errorOf(await plane.call("far.any", {})).message, message, name);
    }
  });

  test("a connection that comes after its attempt has ended is closed", async () => {
    const opened = Promise.withResolvers<void>();
    const steps: string[] = [];
    const transport = defineExtension({
      name: "x",
      transports: ["slow"],
      setup: ({ addTransport }) =>
        void addTransport("slow", async (_url, { signal }) => {
          steps.push("open");
          await opened.promise;
          steps.push(signal.aborted ? "aborted" : "not aborted");
          return { send() {}, close: () => void steps.push("close") };
        }),
    });
    const config = { mcpServers: { far: { url: "slow://far", connectTimeoutMs: 50 } } };
    await using plane = await createPlane({ config, extensions: [transport] });
    assert.equal((await plane.call("far.any", {})).ok, false);
    opened.resolve();
    await until("its end", () => steps.includes("close"));
    assert.deepEqual(steps.slice(0, 3), ["open", "aborted", "close"]);
  });

  test("a secret that is very long is refused, and the error of its reader is shown without secrets", async () => {
    const readers: [() => string, RegExp][] = [
      [() => "s".repeat(2 * 1024 * 1024), /gave more than 1 MiB/],
      [
        () => {
          throw new Error("refused token=abcdefgh12345");
        },
        /refused token=\[redacted\]/,
      ],
    ];
    for (const [read, message] of readers) {
      const vault = named("x", ({ addSecrets }) => addSecrets("vlt", read), { secrets: ["vlt"] });
      const mcpServers = {
        one: { command: process.execPath, args: [], env: { TOKEN: `\${vlt:one}` } },
      };
      await using plane = await createPlane({ config: { mcpServers }, extensions: [vault] });
      assert.match(errorOf(await plane.call("one.any", {})).message, message);
    }
  });

  test("an answer of a channel that names no one approves nothing", async () => {
    const refused: unknown[] = [];
    const chat = named("chat", (to) => {
      greets(to);
      to.addApprovalChannel({
        name: "chat",
        async ask(_held, answer) {
          for (const by of ["", undefined, null, 7])
            await answer("approve", by as string).catch(({ code }) => refused.push(code));
        },
      });
    });
    const config = { policy: { rules: [{ tool: "greet", verdict: "ask" as const }] } };
    await using plane = await createPlane({ config, extensions: [chat] });
    const waiting = plane.call("greet", {});
    await until("the answers", () => refused.length === 4);
    assert.equal((await waiting).ok, false);
    assert.deepEqual(refused, ["USAGE", "USAGE", "USAGE", "USAGE"]);
  });

  test("its log is for people: odd values are texts, and secrets are taken out", async () => {
    const logged: string[] = [];
    let log: (text: string) => void = () => {};
    await using plane = await planeWith(
      named("x", (to) => {
        log = to.log;
      }),
    );
    plane.on("extension.log", ({ text }) => void logged.push(text));
    log(undefined as never);
    log("password=correct-horse");
    await until("both lines", () => logged.length === 2);
    assert.deepEqual(logged, ["undefined", "password=[redacted]"]);
  });
});
