import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { observe } from "../../packages/agent/src/run-calls.ts";
import { type Outcome, type Plane, readMedia, resultText } from "../../src/index.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import {
  assertFailed,
  errorOf,
  fixture,
  planeOf,
  processFixture,
  runCli,
  textsOf,
  writeConfig,
} from "./support.ts";

suite("results", () => {
  let directory: TemporaryDirectory;
  let plane: Plane;
  const servers = {
    echo: fixture("echo"),
    image: fixture("image"),
    structured: fixture("structured", ["--any-root"]),
  };

  before(async () => {
    directory = await temporaryDirectory();
    plane = await planeOf(servers, { dataDirectory: directory.path });
    await plane.tools.list();
  });
  after(async () => {
    await plane.stop();
    await directory[Symbol.asyncDispose]();
  });

  async function succeed(tool: string, args: object = {}) {
    const outcome = await plane.call(tool, args);
    assert.ok(outcome.ok && outcome.result, JSON.stringify(outcome.error));
    return { ...outcome, result: outcome.result };
  }

  test("values that count as false are kept as they are", async () => {
    for (const [kind, value] of Object.entries({ zero: 0, false: false, empty: "", list: [] })) {
      const { result } = await succeed("echo.falsy", { kind });
      assert.ok("structuredContent" in result);
      assert.deepEqual(result.structuredContent, value);
      assert.equal(resultText(result), JSON.stringify(value));
    }
  });

  test("text blocks stay apart, in order, and join line by line", async () => {
    const outcome = await succeed("echo.lines");
    assert.deepEqual(textsOf(outcome), ["first line", "second line"]);
    assert.equal(resultText(outcome.result), "first line\nsecond line");
  });

  test("an error of the tool keeps its whole result and is no success", async () => {
    const outcome = await plane.call("structured.failed");
    assertFailed(outcome, "TOOL_ERROR", "tool_error");
    assert.deepEqual(outcome.result, {
      content: [{ type: "text", text: "no weather today" }],
      isError: true,
    });
    assert.match(errorOf(outcome).message, /'structured\.failed'.*no weather today/);
    assert.deepEqual(outcome.call.warnings, [], "an error need not keep the output schema");
    const { health } = await plane.tools.get("structured.failed");
    assert.deepEqual([health.total, health.failure], [1, 1]);
  });

  test("structured content is kept with and without text beside it", async () => {
    const weather = { city: "Paris", temperature: 21.5 };
    for (const tool of ["valid", "only_structured", "empty_content", "differs"]) {
      const { result, call } = await succeed(`structured.${tool}`);
      assert.deepEqual(result.structuredContent, weather, tool);
      assert.deepEqual(call.warnings, []);
      assert.ok(Array.isArray(result.content));
    }
    assert.deepEqual((await succeed("structured.list_root")).result.structuredContent, [1, 2, 3]);
  });

  test("a result that breaks its own output schema arrives with a warning, unchanged", async () => {
    const broken = await succeed("structured.broken");
    assert.deepEqual(broken.result.structuredContent, { temperature: "warm" });
    assert.match(broken.call.warnings.join("\n"), /city/);
    assert.match(broken.call.warnings.join("\n"), /temperature.*number/);
    const textOnly = await succeed("structured.only_text");
    assert.deepEqual(textsOf(textOnly), ["21.5 in Paris"]);
    assert.equal(textOnly.call.warnings.length, 1);
  });

  test("images, audio, resources, links and unknown kinds all arrive", async () => {
    const { result } = await succeed("image.mixed");
    const types = result.content.map(({ type }) => type);
    assert.deepEqual(types, ["text", "image", "audio", "resource", "resource", "resource_link"]);
    const [, image = { type: "" }, audio = { type: "" }, embedded, binary, link] = result.content;
    assert.equal((readMedia(image) as { extension: string }).extension, "png");
    assert.equal((readMedia(audio) as { mimeType: string }).mimeType, "audio/wav");
    assert.deepEqual(embedded?.resource, {
      uri: "fx://note",
      mimeType: "text/plain",
      text: "embedded text",
    });
    assert.match(JSON.stringify(binary?.resource), /"blob":"iVBOR/);
    assert.equal(link?.uri, "fx://report");
    const { content } = (await succeed("image.unknown_block")).result;
    assert.deepEqual(content, [{ type: "hologram", payload: "?" }]);
  });

  test("media that cannot be shown is kept and the reason is reported", async () => {
    const expected = {
      bad_base64: /base64/,
      disallowed_mime: /type/,
      data_uri: /base64/,
      no_mime: /type/,
    };
    for (const [tool, reason] of Object.entries(expected)) {
      const { result } = await succeed(`image.${tool}`);
      const [block = { type: "" }] = result.content;
      assert.equal(block.type, "image");
      assert.match((readMedia(block) as { problem: string }).problem, reason, tool);
    }
  });

  test("the command line saves media to files and leaves nothing out", async () => {
    const config = await writeConfig(directory, {
      echo: processFixture("echo"),
      image: processFixture("image"),
      structured: processFixture("structured"),
    });
    const common = ["--config", config, "--data-dir", directory.path];
    const env = { TMPDIR: directory.path };
    const [mixed, falsy, failed, structured] = await Promise.all([
      runCli(["call", "image.mixed", ...common], { env }),
      runCli(["call", "echo.falsy", "kind=zero", ...common], { env }),
      runCli(["call", "echo.fail", "reason=broken", ...common], { env }),
      runCli(["call", "structured.only_structured", ...common], { env }),
    ]);
    assert.equal(mixed.code, 0, mixed.stderr);
    assert.match(mixed.stdout, /^everything at once\n/);
    assert.match(mixed.stdout, /embedded text[\s\S]*fx:\/\/pixel[\s\S]*fx:\/\/report/);
    const saved = [...mixed.stdout.matchAll(/\[(image|audio) [^:]*: ([^\]]+)\]/g)].map(
      ([, , file = ""]) => file,
    );
    assert.deepEqual(
      saved.map((file) => file.split(".").at(-1)),
      ["png", "wav"],
    );
    for (const file of saved)
      assert.ok(file.startsWith(directory.path), "in the directory for such files");
    assert.deepEqual([...(await readFile(saved[0] ?? "")).subarray(1, 4)], [...Buffer.from("PNG")]);
    assert.deepEqual([falsy.code, falsy.stdout], [0, "0\n"]);
    assert.deepEqual([failed.code, failed.stdout], [1, ""]);
    assert.match(failed.stderr, /broken/);
    assert.match(structured.stdout, /"city": "Paris"/);
    assert.equal(
      (await readdir(join(directory.path, `toolplane-${process.getuid?.() ?? "user"}`))).length,
      1,
    );
  });
});

test("text and structured content that differ are both shown, and what is the same once", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { s: fixture("structured") });
  const call = (tool: string) =>
    runCli(["call", tool, "--config", config, "--data-dir", directory.file("data")]);
  const differs = await call("s.differs");
  assert.match(differs.stdout, /it is cold in Oslo/);
  assert.match(differs.stdout, /"temperature": 21\.5/);
  assert.equal((await call("s.valid")).stdout.match(/temperature/g)?.length, 1);
  const outcome = (content: unknown[], structuredContent: unknown) =>
    ({
      ok: true,
      call: { status: "succeeded" },
      result: { content, structuredContent },
    }) as unknown as Outcome;
  const text = (value: string) => ({ type: "text", text: value });
  assert.equal(observe(outcome([text("cold")], { t: 1 })), 'cold\n{"t":1}');
  assert.equal(observe(outcome([text('{ "t": 1 }')], { t: 1 })), '{ "t": 1 }');
  assert.equal(observe(outcome([text("42")], { result: 42 })), "42");
  assert.equal(observe(outcome([text("a"), text("b")], { result: ["a", "b"] })), "a\nb");
});
