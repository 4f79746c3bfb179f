import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { createWorkbenchFront } from "./workbench-front.ts";

suite("serving the workbench", () => {
  const directory = mkdtempSync(join(tmpdir(), "toolplane-workbench-"));
  const built = join(directory, "built");
  const server = createServer(
    createWorkbenchFront(
      built,
      "127.0.0.1",
      (_, response) => void response.writeHead(418).end("others"),
    ),
  );
  let url = "";
  before(async () => {
    mkdirSync(join(built, "assets"), { recursive: true });
    writeFileSync(join(directory, "secret.js"), "secret");
    writeFileSync(join(built, "index.html"), "<!doctype html>");
    writeFileSync(join(built, "assets", "app-abc.js"), "plain");
    writeFileSync(join(built, "assets", "app-abc.js.br"), "small");
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    rmSync(directory, { recursive: true });
  });

  /** As it is written, without what a client would make of `..`. */
  const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    new Promise<{ status: number | undefined; headers: Record<string, unknown>; text: string }>(
      (resolve, reject) => {
        const asked = request(url, { path, headers, method }, (response) => {
          let text = "";
          response.on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () =>
            resolve({ status: response.statusCode, headers: response.headers, text }),
          );
        });
        asked.on("error", reject).end();
      },
    );

  test("the picture that browsers ask for by themselves needs no credential", async () => {
    assert.equal((await ask("/favicon.ico")).status, 404);
    assert.equal((await ask("/favicon.ico", { host: "evil.example" })).status, 403);
  });

  test("the page has a policy that allows nothing of others, and is asked for again", async () => {
    for (const path of [
      "/workbench/",
      "/workbench/servers/a%2Fb",
      "/workbench/calls?status=failed",
    ]) {
      const { status, headers } = await ask(path);
      assert.equal(status, 200, path);
      assert.match(
        String(headers["content-security-policy"]),
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      assert.match(String(headers["content-security-policy"]), /frame-ancestors 'none'/);
      assert.equal(headers["cache-control"], "no-cache");
    }
  });

  test("what has a hash in its name is kept permanently and comes as small as the browser takes it", async () => {
    const small = await ask("/workbench/assets/app-abc.js", { "accept-encoding": "gzip, br" });
    assert.deepEqual([small.text, small.headers["content-encoding"]], ["small", "br"]);
    assert.match(String(small.headers["cache-control"]), /immutable/);
    assert.match(String(small.headers["content-type"]), /javascript/);
    const plain = await ask("/workbench/assets/app-abc.js", { "accept-encoding": "gzip" });
    assert.deepEqual([plain.text, plain.headers["content-encoding"]], ["plain", undefined]);
  });

  test("nothing outside of it is served, however the path is written", async () => {
    for (const path of [
      "/workbench/../secret.js",
      "/workbench/assets/../../secret.js",
      "/workbench/assets/..%2f..%2fsecret.js",
      "/workbench/%2e%2e/secret.js",
      "/workbench//secret.js",
      "/workbench/assets/app-abc.js/",
    ]) {
      const { status, text } = await ask(path);
      assert.ok(
        !text.includes("secret") && (status === 404 || text.startsWith("<!doctype")),
        `${path}: ${text}`,
      );
    }
  });

  test("'/' leads to it, other paths and other methods are for others, and strangers' pages are refused", async () => {
    const { status, headers } = await ask("/");
    assert.deepEqual([status, headers.location], [302, "/workbench/"]);
    assert.equal((await ask("/workbenches")).status, 418);
    assert.equal((await ask("/tools")).status, 418);
    assert.equal((await ask("/workbench/", {}, "POST")).status, 418);
    assert.equal((await ask("/workbench/", { host: "evil.example" })).status, 403);
    assert.equal((await ask("/workbench/", { origin: "http://evil.example" })).status, 403);
  });

  test("what is not built says how to build it", async () => {
    rmSync(join(built, "index.html"));
    const { status, text } = await ask("/workbench/");
    assert.equal(status, 404);
    assert.match(text, /npm run build:workbench/);
  });
});
