import assert from "node:assert/strict";
import { test } from "node:test";
import { startIssuer } from "../fixtures/issuer.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, startServe, writeConfig } from "../scenarios/support.ts";

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
    if (text.split("\n\n").some((part) => part.includes("tool.result") && part.includes(tool))) break;
  }
  controller.abort();
  return text;
}

test("a weaker token of the same user hears nothing of the calls of a stronger one", async () => {
  await using directory = await temporaryDirectory();
  await using issuer = await startIssuer();
  const servers = { payroll: fixture("echo", [], { groups: ["hr"] }), open: fixture("echo") };
  const config = await writeConfig(directory, servers, {
    auth: { jwt: { issuer: issuer.url, audience: "toolplane" } },
    policy: { rules: [{ tool: "*", verdict: "allow" }] },
  });
  await using serving = await startServe(config, directory.file("data"));
  const bearer = async (groups: string[]) => ({ authorization: `Bearer ${await issuer.token({ groups })}` });
  const [strong, weak] = [await bearer(["hr"]), await bearer([])];
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
