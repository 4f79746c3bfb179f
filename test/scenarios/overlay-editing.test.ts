import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { serveEcho } from "./approving.ts";
import { callsAt, fixture, startServe, writeConfig } from "./support.ts";

const fixed = "a value that no one reads";
const overlay = {
  arguments: [
    { name: "key", fixed },
    { name: "text", description: "What to keep" },
  ],
};

test("an overlay is looked at and tried out before it is set, and its fixed values are never told", async () => {
  await using directory = await temporaryDirectory();
  await using plane = await serveEcho(directory);
  const { ask, log } = plane;
  const before = await ask("GET /tools/echo.put_note/overlay");
  assert.deepEqual([before.status, before.body.source, before.body.overlay], [200, null, {}]);
  const preview = await ask("POST /tools/echo.put_note/overlay/preview", overlay);
  const seen = preview.body.seen as { parameters: { properties: object }; tokens: number };
  assert.deepEqual(Object.keys(seen.parameters.properties), ["text"]);
  assert.notEqual(seen.tokens, (preview.body.listed as typeof seen).tokens);
  assert.ok(!JSON.stringify(preview.body).includes(fixed));
  assert.deepEqual((await ask("GET /tools/echo.put_note/overlay")).body.overlay, {});

  assert.equal((await ask("PUT /tools/echo.put_note", overlay)).status, 200);
  const { body } = await ask("GET /tools/echo.put_note/overlay");
  assert.equal(body.source, "stored");
  assert.ok(!JSON.stringify(body).includes(fixed));
  assert.equal((await ask("PUT /tools/echo.put_note", body.overlay)).status, 200);
  assert.equal(
    (
      await ask("PUT /tools/echo.put_note", {
        ...(body.overlay as object),
        description: "Keeps a text",
        reason: "clearer words",
      })
    ).status,
    200,
  );
  const { changes } = (await ask("GET /tools/changes")).body as {
    changes: { reason: string | null }[];
  };
  assert.ok(changes.some(({ reason }) => reason === "clearer words"));
  const nothing = await ask("DELETE /tools/missing");
  assert.deepEqual([nothing.status, nothing.body.code], [404, "NOT_FOUND"]);
  await ask("POST /tools/echo.put_note/call", { arguments: { text: "words" } });
  assert.deepEqual(callsAt(log), [{ name: "put_note", arguments: { key: fixed, text: "words" } }]);
});

test("what cannot be an overlay is refused with the reason", async () => {
  await using directory = await temporaryDirectory();
  await using plane = await serveEcho(directory);
  const { ask } = plane;
  const wrong = await ask("POST /tools/echo.put_note/overlay/preview", { providers: [] });
  assert.equal(wrong.status, 400);
  assert.match(String(wrong.body.detail), /cannot be set for a tool of a server/);
  assert.equal((await ask("GET /tools/echo.nothing/overlay")).status, 404);
  const reader = await plane.as("ann", "--scope", "read");
  assert.equal((await reader("GET /tools/echo.put_note/overlay")).status, 403);
});

test("a dry run goes as far as a provider and calls none", async () => {
  await using directory = await temporaryDirectory();
  await using plane = await serveEcho(directory, { policy: { profile: "strict" } });
  const { ask, log } = plane;
  const args = { key: "a", text: "words" };
  const { status, body } = await ask("POST /tools/echo.put_note/call", {
    arguments: args,
    dryRun: true,
  });
  assert.deepEqual([status, (body.call as { status: string }).status], [200, "dry_run"]);
  assert.equal(
    (await ask("POST /tools/echo.put_note/call", { arguments: {}, dryRun: true })).status,
    400,
  );
  assert.equal(
    (await ask("POST /tools/echo.put_note/call", { arguments: args, dryRun: "yes" })).status,
    400,
  );
  assert.deepEqual((await ask("GET /approvals?status=all")).body.approvals, []);
  assert.deepEqual(callsAt(log), []);
});

test("a search tells the whole tools where they are asked for, and an agent's choices have names only", async () => {
  await using directory = await temporaryDirectory();
  const models = {
    default: { baseURL: "http://127.0.0.1:9/v1", model: "none", apiKey: "a-key-of-a-model" },
  };
  await using plane = await serveEcho(directory, { models });
  const { body } = await plane.ask("GET /search?q=add+two+numbers&details=true");
  const [first] = body.tools as {
    name: string;
    tool?: { parameters: object; side_effects: string };
  }[];
  assert.equal(first?.name, "echo.add");
  assert.ok(first?.tool?.parameters && first.tool.side_effects);
  assert.deepEqual((await plane.ask("GET /agent")).body, { models: ["default"], toolsets: [] });
});

test("the changes of tools have those of overlays, with who, why, before and after", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { echo: fixture("echo") });
  await using serving = await startServe(config, directory.file("data"));
  const headers = { "content-type": "application/json", ...serving.proof };
  for (const description of ["Says it again.", "Repeats it."]) {
    const body = JSON.stringify({ description, reason: "clearer" });
    assert.ok((await fetch(`${serving.url}/tools/echo.echo`, { method: "PUT", headers, body })).ok);
  }
  const page = await fetch(`${serving.url}/tools/changes?limit=1&name=echo.echo`);
  const { changes, total } = (await page.json()) as {
    total: number;
    changes: Record<string, unknown>[];
  };
  const { what, kind, before, after } = changes[0] ?? {};
  assert.deepEqual([what, kind, total], ["overlay", "changed", 2]);
  assert.notDeepEqual(before, after);
});
