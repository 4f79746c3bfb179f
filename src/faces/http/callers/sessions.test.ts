import assert from "node:assert/strict";
import { test } from "node:test";
import { createBrowserSessions } from "./sessions.ts";

test("a session counts only where cookie and page come together", () => {
  const sessions = createBrowserSessions();
  const { cookie, page } = sessions.begin("tp_one");
  const other = sessions.begin("tp_two");
  assert.equal(sessions.credentialOf(cookie, page), "tp_one");
  assert.equal(sessions.credentialOf(cookie, undefined), null);
  assert.equal(sessions.credentialOf(undefined, page), null);
  assert.equal(sessions.credentialOf(cookie, other.page), null);
  assert.equal(sessions.credentialOf(page, cookie), null);
});

test("a session that is ended is gone, and another stays", () => {
  const sessions = createBrowserSessions();
  const { cookie, page } = sessions.begin("tp_one");
  const other = sessions.begin("tp_two");
  sessions.end(cookie);
  assert.equal(sessions.credentialOf(cookie, page), null);
  assert.equal(sessions.credentialOf(other.cookie, other.page), "tp_two");
});

test("a session is over after half a day without use, and using it keeps it", () => {
  let hours = 0;
  const sessions = createBrowserSessions(() => hours * 3_600_000);
  const { cookie, page } = sessions.begin("tp_one");
  hours = 11;
  assert.equal(sessions.credentialOf(cookie, page), "tp_one");
  hours = 22;
  assert.equal(sessions.credentialOf(cookie, page), "tp_one");
  hours = 35;
  assert.equal(sessions.credentialOf(cookie, page), null);
});
