import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { redact } from "../../src/lib/text/redact.ts";
import { ServerDefinition } from "../../src/model/servers/server.ts";
import { createServerHider } from "../../src/servers/failures.ts";

const leaks = ["pathKey9pathKey9", "codeX", "authX", "pwX", "plainvalue", "unremarkable"];

test("a tool's endpoint shows no key of its path or query, and headers show nothing", async () => {
  const url = "https://a.example/hooks/pathKey9pathKey9/run?code=codeX&auth=authX&pw=pwX&page=2";
  const provider = { name: "http", config: { url, headers: { "X-Tenant": "plainvalue" } } };
  const peek = { description: "Asks.", side_effects: "none" as const, providers: [provider] };
  await using plane = await createPlane({ config: { tools: { peek } } });
  const shown = JSON.stringify([
    await plane.tools.get("peek"),
    await plane.tools.list(),
    await plane.registry.changes(),
  ]);
  for (const leak of leaks) assert.ok(!shown.includes(leak), leak);
  assert.match(
    shown,
    /https:\/\/a\.example\/hooks\/\*\*\*\/run\?code=\*\*\*&auth=\*\*\*&pw=\*\*\*&page=2/,
  );
});

test("'--token X' is hidden in what a server prints, known or not", () => {
  const definition = ServerDefinition.parse({
    transport: "stdio",
    command: "x",
    args: ["--token", "plainvalue", "--password=unremarkable", "--level", "debugging"],
  });
  const hide = createServerHider(definition, []);
  assert.equal(
    hide("started with plainvalue, unremarkable, debugging"),
    "started with [redacted], [redacted], debugging",
  );
  assert.equal(
    redact("npx server --api-token plainvalue --verbose"),
    "npx server --api-token [redacted] --verbose",
  );
  assert.equal(redact("--token --verbose"), "--token --verbose");
});

test("a private key is masked wherever text leaves the wire it came on", () => {
  const key =
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\nZXktdjEAAAA\n-----END OPENSSH PRIVATE KEY-----";
  assert.equal(redact(`a ${key} b ${key}`), "a [redacted] b [redacted]");
  assert.equal(redact(JSON.stringify({ text: key })), '{"text":"[redacted]"}');
  assert.equal(redact(key.slice(0, 60)), "[redacted]");
});
