import assert from "node:assert/strict";
import { test } from "node:test";
import { openPlane, remote, startOAuth } from "../../../test/contracts/signing-in.ts";
import { listenForSignIn } from "./sign-in-listener.ts";

test("the browser comes back to the command line, which finishes the sign-in", async () => {
  await using fixture = await startOAuth();
  await using plane = await openPlane();
  const listener = await listenForSignIn();
  const server = remote(fixture.url, { type: "oauth" });
  const { url, state } = await plane.credentials.beginSignIn(
    "remote",
    server,
    "ada",
    listener.redirectUri,
  );
  listener.expect(state);
  const page = await fetch(url);
  assert.match(await page.text(), /You can close this window/);
  const done = await plane.credentials.finishSignIn(await listener.parameters);
  assert.deepEqual(done, { server: "remote", user: "ada" });
  await listener.close();
  await assert.rejects(fetch(listener.redirectUri));
});

test("only a return counts, and nothing of it is shown", async () => {
  const listener = await listenForSignIn();
  assert.match(listener.redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const statusOf = async (url: string, method = "GET") => (await fetch(url, { method })).status;
  assert.equal(await statusOf(new URL("/favicon.ico", listener.redirectUri).href), 404);
  assert.equal(await statusOf(listener.redirectUri), 404);
  assert.equal(await statusOf(`${listener.redirectUri}?state=x`, "POST"), 404);
  assert.equal(await statusOf(`${listener.redirectUri}?state=s`), 404, "none was begun");
  listener.expect("s");
  assert.equal(await statusOf(`${listener.redirectUri}?state=of-another&code=theirs`), 404);
  const back = `${listener.redirectUri}?state=s&error=access_denied&error_description=${encodeURIComponent("<script>")}`;
  const text = await (await fetch(back)).text();
  assert.match(text, /did not succeed/);
  assert.doesNotMatch(text, /script|access_denied/);
  assert.equal((await listener.parameters).get("error"), "access_denied");
  await listener.close();
});
