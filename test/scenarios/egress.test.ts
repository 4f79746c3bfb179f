import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { createEgress } from "../../src/lib/net/egress.ts";
import { checkedFetch } from "../../src/servers/auth/oauth/checked-fetch.ts";
import { openPlane, redirectUri, remote } from "../contracts/signing-in.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(answer: Answer) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const send = (response: ServerResponse, body: unknown) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

suite("what a server names during a sign-in reaches no neighbour of it", () => {
  let hits: string[] = [];
  let canary: Awaited<ReturnType<typeof listen>>;
  before(async () => {
    canary = await listen(({ method, url }, response) => {
      hits.push(`${method} ${url}`);
      send(response, {});
    });
  });
  after(() => canary[Symbol.dispose]());

  /** A rogue server on this machine; `name` says what it names. */
  async function signInAt(name: (own: string, canary: string) => Partial<Record<string, unknown>>) {
    hits = [];
    let own = "";
    using rogue = await listen((request, response) => {
      const { pathname } = new URL(request.url ?? "/", own);
      const said = name(own, canary.origin);
      if (typeof said.redirect === "string" && pathname.startsWith("/.well-known"))
        return void response.writeHead(302, { location: said.redirect }).end();
      if (pathname.startsWith("/.well-known/oauth-protected-resource"))
        return void send(response, {
          resource: `${own}/mcp`,
          authorization_servers: [said.issuer ?? own],
        });
      if (pathname.startsWith("/.well-known"))
        return void send(response, {
          issuer: own,
          authorization_endpoint: `${own}/authorize`,
          token_endpoint: `${own}/token`,
          registration_endpoint: `${own}/register`,
          code_challenge_methods_supported: ["S256"],
          ...(said.metadata as object),
        });
      if (pathname === "/register") return void send(response, { client_id: "us" });
      const challenge = `Bearer resource_metadata="${said.challenge ?? `${own}/.well-known/oauth-protected-resource`}"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
    });
    own = rogue.origin;
    await using plane = await openPlane();
    await plane.credentials.beginSignIn("rogue", remote(`${own}/mcp`), "ada", redirectUri).then(
      () => assert.fail("the sign-in began"),
      (error: { code?: string; message: string }) =>
        assert.equal(error.code, "PROVIDER_FAILED", error.message),
    );
    assert.deepEqual(hits, [], "the canary was reached");
  }

  const spelled = (host: string) => (_: string, to: string) => to.replace("127.0.0.1", host);
  const spellings: Record<string, (own: string, canary: string) => string> = {
    "another port": (_, to) => to,
    "by name": spelled("localhost"),
    decimal: spelled("2130706433"),
    hexadecimal: spelled("0x7f000001"),
    octal: spelled("0177.0.0.1"),
    short: spelled("127.1"),
    "mapped into IPv6": spelled("[::ffff:127.0.0.1]"),
    zero: spelled("0.0.0.0"),
    "with user information": (own, to) => to.replace("http://", `http://${new URL(own).host}@`),
    "a metadata service": () => "http://169.254.169.254",
  };
  for (const [spelling, to] of Object.entries(spellings)) {
    test(`resource metadata at ${spelling}`, () =>
      signInAt((own, at) => ({ challenge: `${to(own, at)}/meta` })));
    test(`an issuer at ${spelling}`, () => signInAt((own, at) => ({ issuer: to(own, at) })));
    for (const endpoint of ["token_endpoint", "registration_endpoint", "authorization_endpoint"])
      test(`a ${endpoint} at ${spelling}`, () =>
        signInAt((own, at) => ({ metadata: { [endpoint]: `${to(own, at)}/x` } })));
  }
  test("a redirect to another port", () => signInAt((_, at) => ({ redirect: `${at}/chain` })));

  test("the allow list opens what a person wants", async () => {
    hits = [];
    const { stranger } = createEgress({ allow: () => [`127.0.0.1:${canary.port}`] });
    await checkedFetch(stranger)(`${canary.origin}/asked`);
    assert.deepEqual(hits, ["GET /asked"]);
  });
});

test("a name that changes its addresses is judged by those that are connected to", async () => {
  const hits: string[] = [];
  using inside = await listen(({ url }, response) => {
    hits.push(url ?? "");
    send(response, {});
  });
  const answers = [["93.184.215.14"], ["127.0.0.1"], ["93.184.215.14", "127.0.0.1"]];
  const egress = createEgress({
    allow: () => [],
    resolve: async () => (answers.shift() ?? []).map((address) => ({ address, family: 4 })),
  });
  const gate = await egress.namedBy(`http://changing.example:${inside.port}/mcp`);
  const ask = () => checkedFetch(gate)(`http://changing.example:${inside.port}/x`);
  await assert.rejects(ask(), /leads to a loopback address/);
  await assert.rejects(ask(), /leads to a loopback address/);
  assert.deepEqual([hits, answers], [[], []]);
});

test("a tool that was set over a face reaches no internal address unless it is allowed", async () => {
  using inside = await listen((_, response) => send(response, { inside: true }));
  const manifest = {
    description: "Asks.",
    side_effects: "none" as const,
    providers: [{ name: "http", config: { url: `${inside.origin}/x` } }],
  };
  await using plane = await createPlane({ config: {} });
  await plane.tools.set({ name: "peek", ...manifest });
  const refused = await plane.call("peek", {});
  assert.equal(refused.ok, false);
  assert.match(JSON.stringify(refused), /security\.egress\.allow/);
  await using open = await createPlane({
    config: { security: { egress: { allow: [`127.0.0.1:${inside.port}`] } } },
  });
  await open.tools.set({ name: "peek", ...manifest });
  assert.equal((await open.call("peek", {})).ok, true);
  await using configured = await createPlane({ config: { tools: { peek: manifest } } });
  assert.equal((await configured.call("peek", {})).ok, true);
});

test("a configured server at a metadata address is not connected to, over any transport", async () => {
  for (const url of [
    "http://169.254.169.254/mcp",
    "http://[fd00:ec2::254]/sse",
    "ws://metadata.google.internal/mcp",
  ]) {
    await using plane = await createPlane({ config: { mcpServers: { cloud: { url } } } });
    const report = await plane.doctor("cloud");
    assert.match(JSON.stringify(report), /metadata address/, url);
  }
});
