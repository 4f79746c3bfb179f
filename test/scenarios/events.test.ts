import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { startIssuer } from "../fixtures/issuer.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { postCall } from "./requests.ts";
import {
  processFixture as fixture,
  runCli,
  startServe,
  startServeProcess,
  writeConfig,
} from "./support.ts";

type Heard = { id: number; event: string; data: Record<string, unknown> };

/** Listens to the stream of events and keeps what it hears. */
async function listen(url: string, headers: Record<string, string> = {}) {
  const heard: Heard[] = [];
  const controller = new AbortController();
  const response = await fetch(`${url}/events`, { headers, signal: controller.signal });
  const reading = (async () => {
    let text = "";
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(part)?.[1] ?? "";
        if (part.startsWith(":")) continue;
        heard.push({
          id: Number(field("id")),
          event: field("event"),
          data: JSON.parse(field("data")),
        });
      }
    }
  })().catch(() => undefined);
  const stop = async () => {
    controller.abort();
    await reading;
  };
  return { heard, stop, status: response.status, ended: reading };
}

suite("the stream of events", () => {
  test("tells what happens as it happens, and goes on where a client left", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    await using serving = await startServe(config, directory.file("data"));
    const first = await listen(serving.url);
    await postCall(serving.url, "echo.echo", { arguments: { message: "CANARY" } });
    const results = () => first.heard.filter(({ event }) => event === "tool.result");
    await until("the result", () => results().length === 1);
    await first.stop();
    const last = first.heard.at(-1)?.id ?? 0;
    assert.ok(last > 0);
    await postCall(serving.url, "echo.echo", { arguments: { message: "CANARY" } });
    const second = await listen(serving.url, { "last-event-id": String(last) });
    await until("what was missed", () => second.heard.some(({ event }) => event === "tool.result"));
    await second.stop();
    const ids = second.heard.map(({ id }) => id);
    assert.ok(ids.every((id) => id > last));
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
    );
    assert.doesNotMatch(JSON.stringify([first.heard, second.heard]), /CANARY/);
  });

  test("a key that is revoked hears no more", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const place = ["--config", config, "--data-dir", directory.file("data"), "--json"];
    const create = async (name: string, scope: string) =>
      (
        await runCli(["keys", "create", name, "--user", "ann", "--scope", scope, ...place])
      ).json() as unknown as {
        secret: string;
        key: { id: string };
      };
    const admin = await create("admin", "admin");
    const lost = await create("lost", "call");
    await using serving = await startServe(config, directory.file("data"));
    const as = ({ secret }: { secret: string }) => ({ authorization: `Bearer ${secret}` });
    const listening = await listen(serving.url, as(lost));
    const revoked = await fetch(`${serving.url}/keys/${lost.key.id}`, {
      method: "DELETE",
      headers: as(admin),
    });
    assert.equal(revoked.status, 200);
    await listening.ended;
    assert.ok(!listening.heard.some(({ event }) => event === "key.revoked"));
    assert.equal((await listen(serving.url, as(lost))).status, 401);
  });

  test("a place that is none is refused", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {});
    await using serving = await startServe(config, directory.file("data"));
    const { status, stop } = await listen(serving.url, { "last-event-id": "yesterday" });
    await stop();
    assert.equal(status, 400);
  });

  test("listeners do not keep a plane from ending", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const serving = await startServeProcess(config, directory.file("data"));
    const listener = await listen(serving.url);
    assert.equal(await serving.stop("SIGTERM"), 0);
    await listener.stop();
  });

  test("a weaker token of the same user hears nothing of the calls of a stronger one", async () => {
    await using directory = await temporaryDirectory();
    await using issuer = await startIssuer();
    const servers = { payroll: fixture("echo", [], { groups: ["hr"] }), open: fixture("echo") };
    const config = await writeConfig(directory, servers, {
      auth: { jwt: { issuer: issuer.url, audience: "toolplane" } },
      policy: { rules: [{ tool: "*", verdict: "allow" }] },
    });
    await using serving = await startServe(config, directory.file("data"));
    const bearer = async (groups: string[]) => ({
      authorization: `Bearer ${await issuer.token({ groups })}`,
    });
    const strong = await bearer(["hr"]);
    const weak = await bearer([]);
    const call = async (headers: Record<string, string>, tool: string) => {
      const response = await fetch(`${serving.url}/tools/${tool}/call`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ arguments: { message: "hi" } }),
      });
      return response.status;
    };
    assert.equal(await call(strong, "payroll.echo"), 200);
    assert.equal(await call(weak, "open.echo"), 200);
    assert.match(await hear(serving.url, strong, "payroll.echo"), /payroll\.echo/);
    assert.doesNotMatch(await hear(serving.url, weak, "open.echo"), /payroll\.echo/);
    for (const path of ["tools", "calls"]) {
      const listed = await (await fetch(`${serving.url}/${path}`, { headers: weak })).text();
      assert.match(listed, /open\.echo/);
      assert.doesNotMatch(listed, /payroll\.echo/);
    }
  });
});

/** What is heard from the start, until a result of `tool`. */
async function hear(url: string, headers: Record<string, string>, tool: string): Promise<string> {
  const controller = new AbortController();
  const response = await fetch(`${url}/events`, {
    headers: { ...headers, "last-event-id": "0" },
    signal: controller.signal,
  });
  let text = "";
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.split("\n\n").some((part) => part.includes("tool.result") && part.includes(tool)))
      break;
  }
  controller.abort();
  return text;
}
