import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import type { DoctorCheck } from "@toolplane/core/model/config/doctor-schema";
import { startHttpFixture } from "@toolplane/test/fixtures/start-server";
import { sampleServer } from "@toolplane/test/samples/calls";
import { listen } from "@toolplane/test/samples/channels";
import { bundled, translateTools } from "@toolplane/test/samples/core";
import { failure, outline } from "@toolplane/test/samples/doctor-checks";

import { examineServer } from "./doctor.ts";

function examine(
  url: string,
  settings: Record<string, unknown> = {},
  limitMs = 10_000,
): Promise<DoctorCheck[]> {
  const definition = sampleServer({ command: undefined, url, transport: "http", ...settings });
  const options = {
    environment: {},
    directory: "/",
    limitMs,
    takeTools: translateTools,
    packages: bundled,
  };
  return examineServer("notes", definition, options);
}

const unanswered = "configuration enabled url environment reachable !handshake";

suite("a server behind an address", { concurrency: 4 }, () => {
  test("a healthy one passes every check", async () => {
    await using fixture = await startHttpFixture("http");
    const checks = await examine(fixture.url);
    assert.equal(
      outline(checks),
      "configuration enabled url environment reachable handshake tools",
    );
    assert.match(checks[5]?.detail ?? "", /fx-http .*2025-11-25/);
  });

  const tokens: [title: string, settings: Record<string, unknown>, fix: RegExp][] = [
    [
      "no token",
      {},
      /^Sign in to it with 'toolplane servers login notes', or add the token .* 'auth\.token'/,
    ],
    [
      "a wrong header",
      { headers: { Authorization: "Bearer pw-wrong" } },
      /'headers\.Authorization'/,
    ],
    ["a wrong token", { auth: { type: "bearer", token: "pw-wrong" } }, /^Replace 'auth\.token'/],
  ];
  for (const [title, settings, fix] of tokens) {
    test(`a server that wants a token and gets ${title} names the key to change`, async () => {
      await using fixture = await startHttpFixture("http", ["--token", "right"]);
      const checks = await examine(fixture.url, settings);
      assert.equal(outline(checks), unanswered);
      assert.match(failure(checks).detail, /HTTP 401/);
      assert.match(failure(checks).fix, fix);
    });
  }

  const answers: [status: number, headers: Record<string, string>, fix: RegExp][] = [
    [403, {}, /token/],
    [404, {}, /^Correct the path of 'url'.*\/mcp.*\/sse/],
    [405, {}, /^Correct the path of 'url'.*\/mcp.*\/sse/],
    [429, {}, /^Wait/],
    [500, {}, /look into its log/],
    [
      302,
      { location: "https://example.com/pw-new" },
      /^Change 'url' .* at https:\/\/example\.com\.$/,
    ],
    [200, { "content-type": "text/html" }, /^Point 'url' to the MCP endpoint/],
  ];
  for (const [status, headers, fix] of answers) {
    test(`an answer with status ${status} has a remedy of its own`, async () => {
      await using server = await listen((_, response) =>
        response.writeHead(status, headers).end("<html>"),
      );
      const checks = await examine(withSecrets(server.url));
      assert.equal(outline(checks), unanswered);
      assert.match(failure(checks).fix, fix);
    });
  }

  test("what a server answers instead of a handshake is quoted without secrets", async () => {
    const error = { code: -32602, message: "no such \u001b[31mtenant, token=pw-leaked" };
    await using server = await listen(answerAll({ error }));
    const { detail } = failure(await examine(server.url));
    assert.equal(detail, "It answered with an error: no such tenant, token=[redacted].");
  });

  test("a protocol that is not known is no question of the address", async () => {
    await using server = await listen(answerAll({ result: { protocolVersion: "1999-01-01" } }));
    const { detail, fix } = failure(await examine(server.url));
    assert.match(detail, /1999-01-01/);
    assert.match(fix, /^Update the server/);
  });

  test("a header that nothing has filled in is reported although the server answers", async () => {
    await using fixture = await startHttpFixture("http");
    const checks = await examine(fixture.url, {
      headers: { "X-API-Key": "", Authorization: "Bearer ${env:T}" },
    });
    assert.equal(
      outline(checks),
      "configuration enabled url !environment reachable handshake tools",
    );
    assert.match(
      failure(checks).detail,
      /headers\.X-API-Key is empty\. headers\.Authorization still contains/,
    );
  });
});

function withSecrets(url: string): string {
  return url.replace("://", "://ada:pw-one@").replace(/(\d)(\/mcp)?$/, "$1/pw-two?key=pw-three");
}

/** Answers every request with the same, whatever it asks. */
function answerAll(body: object): RequestListener {
  return async (request, response) => {
    const { id } = JSON.parse(await text(request)) as { id?: number };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  };
}
