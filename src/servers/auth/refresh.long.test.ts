import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  knock,
  openPlane,
  remote,
  signIn,
  startOAuth,
} from "../../../test/contracts/signing-in.ts";

const oauth = { type: "oauth" };
const almostOver = 3_600_000 - 59_000;
const asker = fileURLToPath(new URL("../../../test/contracts/headers-asker.ts", import.meta.url));

test("tokens are refreshed a minute before they end, once, and the new refresh token is used next", async () => {
  await using fixture = await startOAuth();
  await using plane = await openPlane();
  const server = remote(fixture.url, oauth);
  await signIn(plane.credentials, server);
  const headers = () => plane.credentials.headers("remote", server, "ada");
  const first = await headers();
  plane.later(almostOver);
  const [second, same] = await Promise.all([headers(), headers()]);
  assert.notDeepEqual(second, first);
  assert.deepEqual(same, second);
  assert.equal(await knock(fixture.url, second), null);
  plane.later(3_600_000);
  assert.notDeepEqual(await headers(), second);
  const grants = fixture.tokens().map(({ form }) => form.grant_type);
  assert.deepEqual(grants, ["authorization_code", "refresh_token", "refresh_token"]);
  assert.equal(fixture.tokens()[1]?.form.resource, fixture.url);
});

test("a token that lives shorter than a minute is refreshed in the middle of its life, not for each request", async () => {
  await using fixture = await startOAuth(["--expires-in", "40"]);
  await using plane = await openPlane();
  const server = remote(fixture.url, oauth);
  await signIn(plane.credentials, server);
  const headers = () => plane.credentials.headers("remote", server, "ada");
  const first = await headers();
  assert.deepEqual(await headers(), first);
  plane.later(21_000);
  const second = await headers();
  assert.notDeepEqual(second, first);
  assert.deepEqual(await headers(), second);
  assert.equal(fixture.tokens().length, 2);
});

test("processes that refresh at once refresh once", async () => {
  await using fixture = await startOAuth();
  await using plane = await openPlane();
  await signIn(plane.credentials, remote(fixture.url, oauth));
  const args = [asker, plane.directory, fixture.url, String(almostOver)];
  const children = [1, 2, 3].map(() =>
    spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const outputs = children.map((child) => {
    const output = { text: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      output.text += chunk.toString();
    });
    return output;
  });
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  for (const child of children) child.stdin.end("go\n");
  await Promise.all(children.map((child) => once(child, "close")));
  const headers = outputs.map(({ text }) => text.split("\n")[1]);
  assert.equal(new Set(headers).size, 1);
  assert.match(headers[0] ?? "", /Bearer access-/);
  assert.equal(
    fixture.tokens().filter(({ form }) => form.grant_type === "refresh_token").length,
    1,
  );
});

test("a refused token is refreshed without a person, and one that is newer already is just used", async () => {
  await using fixture = await startOAuth();
  await using plane = await openPlane();
  const server = remote(fixture.url, oauth);
  await signIn(plane.credentials, server);
  const challenge = { status: 401, wwwAuthenticate: 'Bearer error="invalid_token"' };
  const first = await plane.credentials.headers("remote", server, "ada");
  assert.equal(await plane.credentials.refused("remote", server, "ada", challenge), true);
  assert.equal(await plane.credentials.refused("remote", server, "ada", challenge), true);
  assert.equal(fixture.tokens().length, 2);
  assert.notDeepEqual(await plane.credentials.headers("remote", server, "ada"), first);
});

test("a network that fails is not the end of a sign-in", async () => {
  await using fixture = await startOAuth();
  await using plane = await openPlane();
  const server = remote(fixture.url, oauth);
  await signIn(plane.credentials, server);
  const headers = () => plane.credentials.headers("remote", server, "ada");
  const first = await headers();
  await fixture.stop();
  plane.later(almostOver);
  assert.deepEqual(await headers(), first, "what is not over yet is still good");
  plane.later(60_000);
  await assert.rejects(headers(), {
    name: "TransportError",
    sent: false,
    message: /could not be asked: ECONNREFUSED/,
  });
  assert.equal((await plane.credentials.status("ada"))[0]?.expired, false);
});

test("an authorization server in trouble is not the end of a sign-in either", async () => {
  await using fixture = await startOAuth(["--token-status", "503"]);
  await using plane = await openPlane();
  const signing = signIn(plane.credentials, remote(fixture.url, oauth));
  await assert.rejects(signing, {
    code: "SERVER_UNAVAILABLE",
    message: /HTTP 503.*Try again later/,
  });
});

test("a refresh token that is not taken any more is forgotten, and a person is asked", async () => {
  await using fixture = await startOAuth();
  await using plane = await openPlane();
  const { credentials } = plane;
  const server = remote(fixture.url, oauth);
  await signIn(credentials, server);
  await fixture.command("revoke");
  const challenge =
    (await knock(fixture.url, await credentials.headers("remote", server, "ada"))) ?? assert.fail();
  const needed = {
    code: "AUTH_REQUIRED",
    message: /sign-in ended at \d\d:\d\d UTC: invalid_grant\. Sign in to it with/,
  };
  await assert.rejects(credentials.refused("remote", server, "ada", challenge), needed);
  await assert.rejects(credentials.headers("remote", server, "ada"), needed);
  assert.deepEqual(await credentials.status("ada"), []);
  await signIn(credentials, server);
  assert.equal(await knock(fixture.url, await credentials.headers("remote", server, "ada")), null);
});

test("without a refresh token a person is asked when it is over", async () => {
  await using fixture = await startOAuth(["--no-refresh"]);
  await using plane = await openPlane();
  const server = remote(fixture.url, oauth);
  await signIn(plane.credentials, server);
  const headers = () => plane.credentials.headers("remote", server, "ada");
  plane.later(almostOver);
  await headers();
  plane.later(60_000);
  await assert.rejects(headers(), { code: "AUTH_REQUIRED" });
});

test("a server that moved to another authorization server gets a new client there", async () => {
  await using fixture = await startOAuth();
  await using plane = await openPlane();
  const { credentials } = plane;
  const server = remote(fixture.url, oauth);
  const before = (await signIn(credentials, server)).searchParams.get("client_id");
  await fixture.command("migrate");
  const challenge =
    (await knock(fixture.url, await credentials.headers("remote", server, "ada"))) ?? assert.fail();
  await assert.rejects(credentials.refused("remote", server, "ada", challenge), {
    code: "AUTH_REQUIRED",
  });
  const asked = await signIn(credentials, server);
  assert.equal(asked.pathname, "/moved/authorize");
  assert.notEqual(asked.searchParams.get("client_id"), before);
  assert.equal(await knock(fixture.url, await credentials.headers("remote", server, "ada")), null);
});

test("a client that was registered by hand is not shown to another authorization server", async () => {
  await using fixture = await startOAuth([
    "--token-method",
    "client_secret_post",
    "--client",
    "hand:hand-secret",
  ]);
  await using plane = await openPlane();
  const server = remote(fixture.url, { ...oauth, clientId: "hand", clientSecret: "hand-secret" });
  await signIn(plane.credentials, server);
  await fixture.command("migrate");
  const wrong = {
    code: "CONFIG_INVALID",
    message: /client 'hand' belongs to .* set 'auth\.issuer'/,
  };
  await assert.rejects(signIn(plane.credentials, server), wrong);
  assert.equal(fixture.tokens().length, 1);
});

test("nothing that is secret stands in a message or in the clear in the store", async () => {
  await using fixture = await startOAuth([
    "--token-method",
    "client_secret_post",
    "--client",
    "hand:hand-secret",
  ]);
  await using plane = await openPlane();
  const { credentials } = plane;
  const server = remote(fixture.url, { ...oauth, clientId: "hand", clientSecret: "hand-secret" });
  await signIn(credentials, server);
  const { authorization = "" } = await credentials.headers("remote", server, "ada");
  const forms = fixture.tokens().map(({ form }) => form);
  const messages: string[] = [];
  const hear = async (work: Promise<unknown>) =>
    work.catch((thrown: Error & { data?: unknown }) => {
      const causes = [thrown, thrown.cause as Error | undefined].map((one) => one?.message);
      messages.push(JSON.stringify([causes, thrown.data]));
    });
  const challenge = { status: 401, wwwAuthenticate: "Bearer" };
  plane.later(3_600_000);
  const wrongSecret = remote(fixture.url, {
    ...oauth,
    clientId: "hand",
    clientSecret: "bad-secret",
  });
  await hear(credentials.headers("remote", wrongSecret, "ada"));
  await fixture.command("revoke");
  await hear(credentials.refused("remote", server, "ada", challenge));
  await hear(credentials.headers("remote", server, "ada"));
  await fixture.stop();
  await hear(signIn(credentials, server));
  assert.equal(messages.length, 4);
  const secrets = [
    authorization.slice(7),
    "hand-secret",
    "bad-secret",
    ...forms.flatMap(({ code, code_verifier }) => [code ?? "", code_verifier ?? ""]),
  ];
  const { readFile, readdir } = await import("node:fs/promises");
  const files = (await readdir(plane.directory)).filter((name) => name.startsWith("store.sqlite"));
  const stored = await Promise.all(
    files.map((name) => readFile(`${plane.directory}/${name}`, "latin1")),
  );
  for (const secret of secrets) {
    assert.ok(secret.length > 5);
    assert.equal(
      messages.some((message) => message.includes(secret)),
      false,
      messages.join("\n"),
    );
    assert.equal(
      stored.some((text) => text.includes(secret)),
      false,
    );
  }
});
