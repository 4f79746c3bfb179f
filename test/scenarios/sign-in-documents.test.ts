import assert from "node:assert/strict";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import tls from "node:tls";
import { selfSigned } from "../fixtures/self-signed.ts";
import { until } from "../fixtures/until.ts";
import { type SigningWorld, startSigningWorld } from "../workbench/signing-world.ts";
import { createAgent, createHand, redirectUri } from "./signing-by-hand.ts";

const ann = "ann@example.org";

suite("clients whose id is a document", () => {
  let world: SigningWorld;
  let hand: ReturnType<typeof createHand>;
  let site: string;
  let written = 0;
  let asked: string[] = [];
  const certificate = selfSigned("localhost");
  const good = (path: string) => ({
    client_id: `${site}${path}`,
    client_name: "A Client",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  });
  /** What each document says. */
  const documents: Record<string, () => unknown> = {
    "/good.json": () => good("/good.json"),
    "/native.json": () => ({
      ...good("/native.json"),
      redirect_uris: ["http://127.0.0.1/callback"],
    }),
    "/other.json": () => good("/good.json"),
    "/secret.json": () => ({ ...good("/secret.json"), client_secret: "shared" }),
    "/shared.json": () => ({
      ...good("/shared.json"),
      token_endpoint_auth_method: "client_secret_post",
    }),
    "/program.json": () => ({ ...good("/program.json"), grant_types: ["client_credentials"] }),
    "/script.json": () => ({ ...good("/script.json"), redirect_uris: ["javascript:alert(1)"] }),
    "/list.json": () => [good("/list.json")],
    "/nothing.json": () => null,
  };
  const server = createServer(certificate, (request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    if (path === "/circle.json") return void response.writeHead(302, { location: path }).end();
    if (path === "/elsewhere.json")
      return void response
        .writeHead(302, { location: "https://169.254.169.254/client.json" })
        .end();
    if (path === "/text.json") return void response.end("not JSON");
    // It never ends; the plane has to.
    if (path === "/slow.json")
      return void response.writeHead(200, { "content-type": "application/json" }).write("{");
    if (path === "/large.json") {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = `"${"x".repeat(64 * 1024)}",`;
      const more = () => {
        while (!response.destroyed && written < 100 * 1024 * 1024) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", more);
        }
        response.end();
      };
      return more();
    }
    const body = documents[path]?.();
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(body ?? null));
  });

  before(async () => {
    tls.setDefaultCACertificates([...tls.getCACertificates(), certificate.cert]);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    site = `https://localhost:${port}`;
    world = await startSigningWorld({}, { security: { egress: { allow: [`localhost:${port}`] } } });
    hand = createHand(world);
    await hand.invite(ann);
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await world[Symbol.asyncDispose]();
  });

  const ask = (path: string) => createAgent(world.url).ask(hand.request(`${site}${path}`).path);

  test("are read, shown with their address, and remembered", async () => {
    asked = [];
    const agent = createAgent(world.url);
    const client = `${site}/good.json`;
    const first = hand.request(client);
    const back = await hand.allow(agent, first.path, ann);
    assert.equal((await hand.exchange(client, back, first.verifier)).status, 200);
    const again = hand.request(client);
    const answer = await hand.follow(agent, await agent.ask(again.path));
    assert.ok(answer.location?.searchParams.get("code"), "it is not asked again");
    assert.deepEqual(asked, ["/good.json"], "the document is kept for a while");
    const { host } = new URL(site);
    const [grant] = await world.withPlane((plane) => plane.grants.list());
    assert.deepEqual(
      [grant?.client.name, grant?.client.address, grant?.client.verified],
      [`A Client (${host})`, client, true],
    );
  });

  test("and that run on a device ask each time: any program can use their id", async () => {
    const agent = createAgent(world.url);
    const client = `${site}/native.json`;
    const other = { redirect_uri: "http://127.0.0.1:4711/callback" };
    const first = await hand.allow(agent, hand.request(client, other).path, ann);
    assert.ok(first.searchParams.get("code"));
    const answer = await hand.follow(agent, await agent.ask(hand.request(client, other).path));
    assert.match(answer.text, /Allow/);
    const { host } = new URL(site);
    const warning = `Any program on your device can say that it is “A Client (${host})”`;
    assert.ok(answer.text.includes(warning), answer.text);
    assert.ok(
      answer.text.includes(`<h1>A Client (${host}) wants`),
      "the name stands beside the host that is proven",
    );
  });

  for (const [what, path] of [
    ["is for another address", "/other.json"],
    ["has a secret", "/secret.json"],
    ["proves itself with a shared secret", "/shared.json"],
    ["wants to be a program", "/program.json"],
    ["goes back to a script", "/script.json"],
    ["is a list", "/list.json"],
    ["is nothing", "/nothing.json"],
    ["is no JSON", "/text.json"],
    ["is not there", "/missing.json"],
    ["leads to itself", "/circle.json"],
    ["leads to the cloud's metadata", "/elsewhere.json"],
    ["never ends", "/slow.json"],
    ["has a hundred megabytes", "/large.json"],
  ] as const)
    test(`one that ${what} is refused, and nothing is issued`, async () => {
      const answer = await ask(path);
      assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text}`);
      assert.equal(answer.location, null);
    });

  test("of a large one no more is read than a document may have", () => {
    assert.ok(written < 20 * 1024 * 1024, `${written} bytes`);
  });

  test("and each refusal is in the record", async () => {
    await until("the refusals are recorded", async () => {
      const lines = await world.withPlane((plane) =>
        plane.audit.list({ operation: "signIn.authorize", limit: 100 }),
      );
      const clients = new Set(
        lines.filter(({ ok }) => !ok).map(({ input }) => JSON.stringify(input)),
      );
      return [...clients].filter((input) => input.includes("localhost")).length >= 13;
    });
  });

  test("are asked for so often for one network, and no more", async () => {
    asked = [];
    const most = 300;
    for (let at = 0; at <= most; at += 1) await ask(`/none-${at}.json`);
    assert.ok(asked.length > 0 && asked.length < most, String(asked.length));
    const before = asked.length;
    const { status, location } = await ask("/one-more.json");
    assert.deepEqual([status, location, asked.length], [400, null, before]);
  });
});
