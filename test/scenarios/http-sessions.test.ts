import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli, startServe, writeConfig } from "./support.ts";

suite("sessions of a browser", () => {
  test("both halves together are the key, one alone is no one, and a revoked key ends them", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const place = ["--config", config, "--data-dir", directory.file("data"), "--json"];
    const made = (await runCli(["keys", "create", "laptop", "--scope", "admin", ...place])).json();
    const { secret, key } = made as unknown as { secret: string; key: { id: string } };
    await using serving = await startServe(config, directory.file("data"));
    const ask = (path: string, init: RequestInit = {}) => fetch(serving.url + path, init);
    const begin = (shown: string, headers = {}) =>
      ask("/session", { method: "POST", body: JSON.stringify({ key: shown }), headers });

    assert.equal((await begin("tp_wrong")).status, 401);
    assert.equal((await begin(secret, { origin: "http://evil.example" })).status, 403);
    const begun = await begin(secret);
    const answer = (await begun.json()) as { user: string; scopes: string[]; page: string };
    assert.deepEqual(answer.scopes, ["read", "call", "admin"]);
    const set = begun.headers.get("set-cookie") ?? "";
    assert.match(set, /; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.ok(!set.includes(secret) && !JSON.stringify(answer).includes(secret));

    const [cookie = ""] = set.split(";");
    const page = { "x-toolplane-session": answer.page };
    const statusWith = async (headers: Record<string, string>) =>
      (await ask("/servers", { headers })).status;
    assert.equal(await statusWith({ cookie, ...page }), 200);
    assert.equal(await statusWith({ cookie }), 401);
    assert.equal(await statusWith(page), 401);
    assert.equal(await statusWith({ cookie, "x-toolplane-session": `${answer.page}x` }), 401);

    const deleted = await ask(`/keys/${key.id}`, {
      method: "DELETE",
      headers: { cookie, ...page },
    });
    assert.equal(deleted.status, 200);
    assert.equal(await statusWith({ cookie, ...page }), 401);
  });

  test("what the API answers is kept by no browser and taken for nothing else", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    await using serving = await startServe(config, directory.file("data"));
    for (const path of ["/session", "/config", "/tools/echo.add", "/nothing"]) {
      const { headers } = await fetch(serving.url + path);
      assert.equal(headers.get("cache-control"), "no-store", path);
      assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    }
  });

  test("only a page of ours in a browser counts as the workbench", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(
      directory,
      { echo: fixture("echo") },
      { policy: { rules: [{ faces: ["workbench"], verdict: "deny", reason: "not from there" }] } },
    );
    await using serving = await startServe(config, directory.file("data"));
    const call = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ arguments: { a: 1, b: 2 } });
      return (await fetch(`${serving.url}/tools/echo.add/call`, { method: "POST", body, headers }))
        .status;
    };
    const face = { "x-toolplane-face": "workbench" };
    assert.equal(await call({}), 200);
    assert.equal(
      await call({ ...face, "sec-fetch-site": "same-origin" }),
      200,
      "any program can send headers",
    );
    assert.equal(
      await call({ ...face, ...serving.proof }),
      200,
      "a program with the pass is no browser",
    );
    const key = serving.proof.authorization?.slice("Bearer ".length);
    const begun = await fetch(`${serving.url}/session`, {
      method: "POST",
      body: JSON.stringify({ key }),
    });
    const { page } = (await begun.json()) as { page: string };
    const cookie = String(begun.headers.getSetCookie()[0]).split(";", 1)[0] ?? "";
    assert.equal(await call({ ...face, cookie, "x-toolplane-session": page }), 403);
  });
});
