import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { CallRecord, Outcome, Plane } from "../../src/index.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { postCall } from "./requests.ts";
import {
  errorOf,
  fixture,
  type Printed,
  planeOf,
  type RunningServe,
  runCli,
  startServe,
  textsOf,
  writeConfig,
} from "./support.ts";

/** What must not depend on the face: everything but ids and times. */
function essence({ ok, call, result, error }: Partial<Outcome>) {
  const { id, durationMs, ...facts } = call ?? { id: "", durationMs: -1 };
  assert.notEqual(id, "");
  assert.ok(durationMs >= 0);
  const { data: _, ...report } = error ?? { data: {} };
  return JSON.parse(JSON.stringify({ ok, facts, result, report }));
}

suite("the same call through every face", () => {
  let directory: TemporaryDirectory;
  let config: string;
  let plane: Plane;
  let serving: RunningServe;

  before(async () => {
    directory = await temporaryDirectory();
    const servers = { echo: fixture("echo") };
    config = await writeConfig(directory, servers);
    serving = await startServe(config, directory.path);
    plane = await planeOf(servers, { dataDirectory: directory.path });
  });
  after(async () => {
    await plane.stop();
    await serving.stop();
    await directory[Symbol.asyncDispose]();
  });

  const cli = (...words: string[]) =>
    runCli(["call", ...words, "--json", "--config", config, "--data-dir", directory.path]);

  async function everywhere(tool: string, args: unknown) {
    const [library, command, web] = await Promise.all([
      plane.call(tool, args),
      cli(tool, "--args", JSON.stringify(args)),
      postCall(serving.url, tool, { arguments: args }),
    ]);
    const expected = essence(library);
    assert.deepEqual(essence(command.json()), expected, "command line");
    assert.deepEqual(essence(web.body as Printed), expected, "HTTP");
    return { library, exit: command.code, status: web.status };
  }

  test("a success is the same outcome everywhere", async () => {
    const { library, exit, status } = await everywhere("echo.echo", { message: "grüße 👋" });
    assert.deepEqual([exit, status], [0, 200]);
    assert.deepEqual(textsOf(library), ["grüße 👋"]);
    assert.equal(library.call.status, "succeeded");
  });

  test("a tool that says no is a result with isError, exit code 1 and HTTP 200", async () => {
    const { library, exit, status } = await everywhere("echo.fail", { reason: "not today" });
    assert.deepEqual([exit, status], [1, 200]);
    assert.equal(library.result?.isError, true);
    assert.equal(library.call.status, "tool_error");
    assert.match(errorOf(library).message, /not today/);
  });

  test("a protocol error of the server is distinguished from a tool that says no", async () => {
    const { library, exit, status } = await everywhere("echo.throw", {});
    assert.deepEqual([exit, status], [1, 502]);
    assert.equal(library.call.status, "failed");
    const { code, server, tool } = errorOf(library);
    assert.deepEqual(
      { code, server, tool },
      { code: "PROVIDER_FAILED", server: "echo", tool: "echo.throw" },
    );
  });

  test("wrong arguments and unknown tools are refused alike", async () => {
    const [wrong, unknown] = await Promise.all([
      everywhere("echo.add", { a: "one", b: 2 }),
      everywhere("echo.ecko", {}),
    ]);
    assert.deepEqual([wrong.exit, wrong.status], [2, 400]);
    assert.equal(errorOf(wrong.library).code, "INVALID_ARGUMENTS");
    assert.deepEqual([unknown.exit, unknown.status], [2, 404]);
    assert.match(errorOf(unknown.library).message, /'echo\.echo'/);
  });

  test("text of a model is repaired for programs, but the command line is strict", async () => {
    const cutOff = '{"message": "hi the';
    const [library, web, command] = await Promise.all([
      plane.call("echo.echo", cutOff),
      postCall(serving.url, "echo.echo", { arguments: cutOff }),
      cli("echo.echo", "--args", cutOff),
    ]);
    for (const outcome of [library, web.body as Printed]) {
      assert.equal(outcome.call?.repaired, true);
      assert.deepEqual(textsOf(outcome), ["hi the"]);
      assert.equal(outcome.call?.warnings.length, 1);
    }
    assert.equal(command.code, 2);
    assert.equal(command.json().error?.code, "USAGE");
  });

  test("every call is recorded with its face in the one store they share", async () => {
    const refusedByCli = ({ status, face }: { status: string; face: string }) =>
      status === "refused" && face === "cli";
    // What another process has answered is in the store a moment later.
    let calls: CallRecord[] = [];
    await until("the record of a refused command", async () => {
      calls = await plane.calls.list({ limit: 100 });
      return calls.some(refusedByCli);
    });
    const faces = new Set(calls.map(({ face }) => face));
    assert.deepEqual([...faces].sort(), ["cli", "http", "library"]);
    assert.ok(!JSON.stringify(calls).includes("not today"), "no record holds what was said");
  });
});

test("what a tool reports names its server, its tool and the attempts, on every face", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { echo: fixture("echo") });
  await using serving = await startServe(config, directory.file("data"));
  const called = await fetch(`${serving.url}/tools/echo.fail/call`, {
    method: "POST",
    headers: { "content-type": "application/json", ...serving.proof },
    body: JSON.stringify({ arguments: {} }),
  });
  const { error } = (await called.json()) as { error: Record<string, unknown> };
  const { code, server, tool, attempts } = error;
  assert.deepEqual([code, server, tool, attempts], ["TOOL_ERROR", "echo", "echo.fail", 1]);
  await using plane = await planeOf({ echo: fixture("echo") });
  const refused = errorOf(await plane.call("echo.echo", {}));
  assert.deepEqual([refused.server, refused.tool, refused.attempts], ["echo", "echo.echo", 0]);
});
