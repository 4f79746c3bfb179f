import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, planeOf, type RunningServe, runCli, startServe } from "./support.ts";

const docs = { server: "docs", verdict: "allow" };
const echo = fixture("echo");
const written = (directory: string) => `{
  // The servers.
  "mcpServers": { "echo": ${JSON.stringify(echo)} },
  "observability": { "keepPayloads": true },
  "policy": {
    "rules": [
      // Notes are looked at.
      { "tool": "echo.put_note", "verdict": "ask", "reason": "notes are looked at" },
      { "tool": "echo.add", "verdict": "allow" } // sums
    ]
  }
} // ${directory.length}
`;

type Answer = Record<string, unknown> & {
  revision: string;
  detail: string;
  changes: Record<string, unknown>[];
};

suite("the rules of the policy are edited over HTTP and on the command line", () => {
  let directory: TemporaryDirectory;
  let serving: RunningServe;
  let config: string;
  const ask = async (
    method: string,
    to: string,
    body?: object,
    headers: Record<string, string> = serving.proof,
  ) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(serving.url + to, { method, headers, ...sent });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  before(async () => {
    directory = await temporaryDirectory();
    config = directory.file("toolplane.json");
    writeFileSync(config, written(directory.path));
    serving = await startServe(config, directory.file("data"));
    for (const a of [1, 7]) await ask("POST", "/tools/echo.add/call", { arguments: { a, b: 2 } });
    await ask("POST", "/tools/echo.echo/call", { arguments: { message: "hello" } });
  });
  after(async () => {
    await serving[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  test("a preview names the calls whose verdict would change, and by which rule, and changes nothing", async () => {
    const rules = [
      { tool: "echo.add", arguments: { a: "7" }, verdict: "deny", reason: "no sevens" },
      { tool: "echo.add", verdict: "allow" },
    ];
    const { status, body } = await ask("POST", "/policy/preview", { rules }, {});
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.calls, body.skipped, body.withoutArguments], [3, 0, 0]);
    assert.deepEqual(
      body.changes.map(({ tool, before: now, after: then }) => [tool, now, then]),
      [
        [
          "echo.add",
          { verdict: "allow", origin: "rule", reason: "a policy rule decided so", rule: 1 },
          { verdict: "deny", origin: "rule", reason: "no sevens", rule: 0 },
        ],
      ],
    );
    assert.equal(readFileSync(config, "utf8"), written(directory.path));
  });

  test("a bad rule is refused with its place, and saves nothing", async () => {
    const { revision } = (await ask("GET", "/policy/rules")).body;
    const bad: [object, RegExp][] = [
      [
        { tool: "x", verdict: "perhaps" },
        /policy\.rules\[1\]\.verdict must be one of allow, ask, queue, deny/,
      ],
      [{ tool: "x" }, /policy\.rules\[1\]\.verdict must be one of/],
      [{ tol: "x", verdict: "ask" }, /policy\.rules\[1\].*tol/],
      [
        { arguments: { a: { regex: "(?=x)" } }, verdict: "ask" },
        /policy\.rules\[1\]\.arguments\.a\.regex.*not a valid pattern/,
      ],
      [
        { time: { timezone: "Mars" }, verdict: "ask" },
        /policy\.rules\[1\]\.time\.timezone 'Mars' is not a valid time zone/,
      ],
    ];
    for (const [rule, message] of bad) {
      for (const [method, to] of [
        ["PUT", "/policy/rules"],
        ["POST", "/policy/preview"],
      ] as const) {
        const rules = [docs, rule];
        const { status, body } = await ask(
          method,
          to,
          to.endsWith("rules") ? { rules, revision } : { rules },
        );
        assert.equal(status, 400, JSON.stringify(rule));
        assert.match(body.detail, message);
        assert.ok(!body.detail.includes(directory.path));
      }
    }
    assert.equal(readFileSync(config, "utf8"), written(directory.path));
  });

  test("saving takes a proof, keeps comments, is in force at once, and refuses what was changed meanwhile", async () => {
    const { revision, ...shown } = (await ask("GET", "/policy/rules")).body;
    assert.equal(shown.file, "toolplane.json");
    const [note, add] = shown.rules as [JsonObject, JsonObject];
    const rules = [{ ...add, verdict: "deny" }, note];
    assert.equal((await ask("PUT", "/policy/rules", { rules, revision }, {})).status, 403);
    const saved = await ask("PUT", "/policy/rules", { rules, revision });
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
    assert.match(
      readFileSync(config, "utf8"),
      /\[\n {6}\{ "tool": "echo\.add", "verdict": "deny" \}, \/\/ sums\n {6}\/\/ Notes are looked at\.\n {6}\{ "tool": "echo\.put_note"/,
    );
    const denied = await ask("POST", "/tools/echo.add/call", { arguments: { a: 1, b: 2 } });
    assert.equal(denied.status, 403);
    const late = await ask("PUT", "/policy/rules", { rules: [], revision });
    assert.deepEqual([late.status, late.body.code], [409, "CONFLICT"]);
    assert.match(late.body.detail, /rules in toolplane\.json were changed in the meantime/);
    const { records } = (await ask("GET", "/audit")).body as unknown as {
      records: { operation: string }[];
    };
    assert.ok(records.some(({ operation }) => operation === "policy.save"));
  });

  test("the command line previews and saves a list of rules from a file", async () => {
    writeFileSync(
      directory.file("rules.json"),
      JSON.stringify([{ tool: "echo.echo", verdict: "deny", reason: "quiet" }]),
    );
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const shown = await runCli(["policy", "preview", directory.file("rules.json"), ...place]);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /echo\.echo.*allow.*deny.*quiet/);
    const saved = await runCli(["policy", "save", directory.file("rules.json"), ...place]);
    assert.match(saved.stdout, /toolplane\.json has 1 rule now/);
    const late = await runCli([
      "policy",
      "save",
      directory.file("rules.json"),
      "--revision",
      "old",
      ...place,
    ]);
    assert.match(late.stderr, /changed in the meantime/);
    const wrong = await runCli(["policy", "preview", config, "--user", "ann", ...place]);
    assert.equal(wrong.code, 0, "a configuration with rules is a list of them");
  });
});

test("the library previews rules, and says where its arguments are not kept", async () => {
  await using plane = await planeOf({ echo: fixture("echo") });
  await plane.call("echo.add", { a: 1, b: 2 });
  const { calls, changes, withoutArguments } = await plane.policy.preview([
    { tool: "echo.add", arguments: { a: "1" }, verdict: "deny" },
    { server: "echo", verdict: "ask" },
  ]);
  assert.deepEqual(
    [calls, withoutArguments, changes.map((one) => one.after.verdict)],
    [1, 1, ["ask"]],
  );
  await assert.rejects(plane.policy.preview([{ verdict: "no" as "deny" }]), {
    code: "USAGE",
    message: /rules\[0\]\.verdict/,
  });
  const principal = { ...plane.identity.usualCaller(), scopes: ["call"] };
  await assert.rejects(plane.policy.preview([], { principal }), { code: "FORBIDDEN" });
});

test("a preview by a command that has just started tries the calls of servers that do not run yet", async () => {
  await using place = await temporaryDirectory();
  const options = {
    config: { mcpServers: { echo: fixture("echo") } },
    dataDirectory: place.file("data"),
  };
  const first = await createPlane(options);
  await first.call("echo.echo", { message: "hello" });
  await first[Symbol.asyncDispose]();
  await using later = await createPlane(options);
  const { calls, skipped, changes } = await later.policy.preview([
    { tool: "echo.*", verdict: "deny" },
  ] as never);
  assert.deepEqual(
    [calls, skipped, changes.map(({ after: then }) => then.verdict)],
    [1, 0, ["deny"]],
  );
});
