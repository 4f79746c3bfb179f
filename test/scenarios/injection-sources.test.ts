import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, type Outcome, principalOf } from "../../src/index.ts";
import { readLog, receivedMessages, temporaryDirectory } from "../fixtures/start-server.ts";
import { getJson, postCall } from "./requests.ts";
import {
  callsAt,
  errorOf,
  fixture,
  namedServer,
  runCli,
  startServe,
  writeConfig,
} from "./support.ts";

type Inventory = {
  available_servers: { server_name: string; description: string; tools: { name: string }[] }[];
  truncated?: boolean;
  omitted_tools?: number;
};

function contentOf<T>(outcome: Outcome): T {
  assert.ok(outcome.result, JSON.stringify(outcome.error));
  return outcome.result.structuredContent as T;
}

const sourced = (from: string, more: object = {}) => [{ parameter: "username", from, ...more }];

suite("where injected values come from", { concurrency: 3 }, () => {
  test("each source gives what is known of this caller, or nothing", async () => {
    const sources = ["user", "groups", "persona", "conversation", "workspace", "scopes"];
    const servers = Object.fromEntries(
      sources.map((from) => [
        from,
        fixture("insider", [], { inject: sourced(from), trusted: true }),
      ]),
    );
    const constant = fixture("insider", [], {
      inject: sourced("constant", { value: { deep: [1] } }),
      trusted: true,
    });
    await using plane = await createPlane({ config: { mcpServers: { ...servers, constant } } });
    const ann = principalOf({ user: "ann", groups: ["ops"], persona: "Atlas", workspace: "w1" });
    const seenBy = async (principal: typeof ann, options: object) => {
      const all = await Promise.all(
        [...sources, "constant"].map(async (server) => {
          const outcome = await plane.call(`${server}.open`, {}, { principal, ...options });
          return contentOf<{ username?: unknown }>(outcome).username;
        }),
      );
      return all;
    };
    assert.deepEqual(await seenBy(ann, { conversation: "c1" }), [
      "ann",
      ["ops"],
      "Atlas",
      "c1",
      "w1",
      ["call"],
      { deep: [1] },
    ]);
    assert.deepEqual(await seenBy(principalOf({}), {}), [
      undefined,
      [],
      undefined,
      undefined,
      undefined,
      ["call"],
      { deep: [1] },
    ]);
  });

  test("what is said for every server counts for each, and its own word comes first", async () => {
    await using directory = await temporaryDirectory();
    const one = directory.file("one");
    const two = directory.file("two");
    await using plane = await createPlane({
      config: {
        inject: [
          { parameter: "_key", from: "constant", value: "everywhere" },
          { parameter: "_user", from: "user" },
        ],
        mcpServers: {
          one: fixture("insider", ["--log", one], { trusted: true }),
          two: fixture("insider", ["--log", two], {
            inject: [{ parameter: "_key", from: "constant", value: "own" }],
            trusted: true,
          }),
        },
      },
    });
    const principal = principalOf({ user: "ann" });
    await plane.call("one.open", { _key: "forged" }, { principal });
    await plane.call("two.open", { _key: "forged" }, { principal });
    const keys = [one, two].map(
      (log) => callsAt(log)[0]?.arguments as Record<string, unknown> | undefined,
    );
    assert.deepEqual(
      keys.map((args) => [args?._key, args?._user]),
      [
        ["everywhere", "ann"],
        ["own", "ann"],
      ],
    );
  });

  test("a bad entry says what may stand there and costs only its server", async () => {
    const bad = [{ parameter: "x", from: "moon" }];
    await using plane = await createPlane({
      config: { mcpServers: { odd: fixture("echo", [], { inject: bad }), good: fixture("echo") } },
    });
    const [problem] = plane.config().problems;
    assert.match(problem?.path ?? "", /mcpServers\.odd\.inject/);
    assert.match(
      problem?.message ?? "",
      /'_mcp_data', '_atlas_user', 'username', or \{"parameter", "from"\}/,
    );
    assert.equal((await plane.call("good.echo", { message: "hi" })).ok, true);
  });

  test("the inventory leaves out what would be refused, and a server that cannot be asked has no tools", async () => {
    await using plane = await createPlane({
      config: {
        mcpServers: {
          planner: fixture("planner", [], {
            trusted: true,
            inject_options: { exclude_self: true },
          }),
          files: { ...namedServer("files", ["read_file", "delete_file"]), description: "Files" },
          off: { ...namedServer("off", ["x"]), enabled: false },
          mine: { ...namedServer("mine", ["y"]), persona: "Atlas" },
          down: {
            command: process.execPath,
            args: ["-e", "process.exit(1)"],
            description: "Is down",
          },
        },
        policy: { rules: [{ tool: "files.delete_*", verdict: "deny" }] },
      },
    });
    const inventoryOf = async (options: object = {}) => {
      const outcome = await plane.call("planner.plan", { task: "t" }, options);
      assert.equal(outcome.ok, true, JSON.stringify(outcome.error));
      const { _mcp_data } = contentOf<{ _mcp_data: Inventory }>(outcome);
      return _mcp_data.available_servers.map(({ server_name, description, tools }) => [
        server_name,
        description,
        tools.map(({ name }) => name),
      ]);
    };
    const seen = await inventoryOf();
    assert.deepEqual(seen, [
      ["files", "Files", ["files_read_file"]],
      ["down", "Is down", []],
    ]);
    const reviewed = await inventoryOf({ mode: "review" });
    assert.ok(!JSON.stringify(reviewed).includes("delete_file"));
  });

  test("five hundred tools stay below the limit, and it is reported how many are missing", async () => {
    const names = Array.from({ length: 500 }, (_, at) => `tool_with_a_long_name_${at}`);
    await using plane = await createPlane({
      config: {
        mcpServers: {
          many: namedServer("many", names),
          planner: fixture("planner", [], { trusted: true, inject_options: { max_bytes: 8_192 } }),
        },
      },
    });
    const outcome = await plane.call("planner.plan", { task: "t" });
    const { _mcp_data } = contentOf<{ _mcp_data: Inventory }>(outcome);
    assert.ok(Buffer.byteLength(JSON.stringify(_mcp_data)) <= 8_192);
    assert.equal(_mcp_data.truncated, true);
    assert.ok((_mcp_data.omitted_tools ?? 0) > 300);
  });

  test("a file goes out as its address, is shown by its name, and may still be called something else", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const inject = [
      { parameter: "filename", from: "files" },
      { parameter: "file_names", from: "files" },
    ];
    await using plane = await createPlane({
      config: {
        mcpServers: { insider: fixture("insider", ["--log", log], { inject, trusted: true }) },
        policy: { rules: [{ tool: "insider.files", verdict: "ask" }] },
      },
      dataDirectory: directory.file("data"),
    });
    const files = {
      "a.pdf": "https://files.example.org/a?token=tk-1",
      "b.pdf": "https://files.example.org/b",
    };
    const { parameters } = await plane.tools.get("insider.files");
    assert.deepEqual(Object.keys(parameters.properties ?? {}), ["filename", "file_names"]);
    const shown: unknown[] = [];
    const args = {
      filename: "a.pdf",
      file_names: ["b.pdf", "own.txt"],
      original_filename: "forged",
    };
    const outcome = await plane.call("insider.files", args, {
      files,
      askHere: async (view) => {
        shown.push(view);
        return { decision: "approve" };
      },
    });
    assert.equal(outcome.ok, true, JSON.stringify(outcome.error));
    assert.deepEqual(callsAt(log)[0]?.arguments, {
      filename: files["a.pdf"],
      file_names: [files["b.pdf"], "own.txt"],
      original_filename: "a.pdf",
      original_file_names: ["b.pdf", "own.txt"],
      file_url: files["a.pdf"],
      file_urls: [files["b.pdf"], "own.txt"],
    });
    const seen = JSON.stringify([
      shown,
      await plane.calls.list(),
      await plane.events.list(0, 1_000),
      await plane.approvals.list(),
    ]);
    assert.match(seen, /"filename":"a\.pdf"/);
    assert.ok(!seen.includes("files.example.org"), seen);
    assert.ok(!JSON.stringify(await plane.calls.activity()).includes("tk-1"));
  });

  test("a fixed value may come from a variable; without it the call says which", async () => {
    const overlays = {
      "insider.open": { arguments: [{ name: "q", fixed: "${TOOLPLANE_TEST_UNSET}" }] },
    };
    await using plane = await createPlane({
      config: { mcpServers: { insider: fixture("insider", [], { trusted: true }) }, overlays },
    });
    const outcome = await plane.call("insider.open", {});
    assert.match(
      errorOf(outcome).message,
      /Argument 'q' of 'insider\.open'.*TOOLPLANE_TEST_UNSET.*not set/,
    );
  });

  test("a file is named on the command line and over HTTP, and a declared file_url has its address", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const inject = [{ parameter: "filename", from: "files" }];
    const config = await writeConfig(directory, {
      insider: fixture("insider", ["--log", log], { inject }),
    });
    const address = "https://files.example.org/a?token=tk-1";
    const sent = () =>
      receivedMessages(readLog(log))
        .filter(({ method }) => method === "tools/call")
        .map(({ params }) => (params as { arguments: object }).arguments);
    const expected = { filename: address, original_filename: "a.pdf", file_url: address };
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const words = ["call", "insider.files", "filename=a.pdf"];
    const called = await runCli([...words, "--file", `a.pdf=${address}`, ...place]);
    assert.equal(called.code, 0, called.stderr);
    assert.deepEqual(sent(), [expected]);
    assert.doesNotMatch(called.stderr, /warning/);
    const unused = await runCli([...words, "--file", `b.pdf=${address}`, "file_url=x", ...place]);
    assert.match(
      unused.stderr,
      /No argument of 'insider\.files' took the address of b\.pdf\. Give the name of the file in 'filename'\./,
    );
    assert.match(unused.stderr, /Set by the system alone, left out: file_url\./);
    assert.ok(!unused.stderr.includes("tk-1"));
    const wrong = await runCli([...words, "--file", "a.pdf", ...place]);
    assert.deepEqual([wrong.code, wrong.stderr.includes("NAME=ADDRESS")], [2, true]);
    await using serving = await startServe(config, directory.file("data"));
    const post = async (files: unknown) =>
      await postCall(serving.url, "insider.files", { arguments: { filename: "a.pdf" }, files });
    const answer = await post({ "a.pdf": address });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(sent().at(-1), expected);
    assert.equal((await post(["a.pdf"])).status, 400);
    const records = await getJson(`${serving.url}/calls`);
    assert.ok(!JSON.stringify(records.body).includes("tk-1"));
    const attached = await runCli([...words, "--file", `a.pdf=${address}`, ...place]);
    assert.equal(attached.code, 0, attached.stderr);
    assert.deepEqual(sent().at(-1), expected, "through the socket of the plane that serves, too");
  });
});
