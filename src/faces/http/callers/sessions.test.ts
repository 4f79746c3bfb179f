import assert from "node:assert/strict";
import { test } from "node:test";
import { type BrowserSession, createBrowserSessions } from "./sessions.ts";

const hourMs = 3_600_000;

/** What planes share: a session is over half a day after it was kept. */
function createPlace() {
  const kept = new Map<string, { session: BrowserSession; until: number }>();
  const clock = { ms: 0, isUnreachable: false };
  const need = () => {
    if (clock.isUnreachable) throw new Error("the store is unreachable");
  };
  const place = {
    async keep(cookie: string, session: BrowserSession) {
      need();
      kept.set(cookie, { session, until: clock.ms + 12 * hourMs });
    },
    async find(cookie: string) {
      need();
      const found = kept.get(cookie);
      return found && found.until > clock.ms ? found.session : null;
    },
    async end(cookie: string) {
      need();
      kept.delete(cookie);
    },
  };
  return { clock, open: () => createBrowserSessions(place, () => clock.ms) };
}

test("a session counts only where cookie and page come together", async () => {
  const sessions = createPlace().open();
  const { cookie, page } = await sessions.begin("tp_one");
  const other = await sessions.begin("tp_two");
  assert.equal(await sessions.credentialOf(cookie, page), "tp_one");
  assert.equal(await sessions.credentialOf(cookie, undefined), null);
  assert.equal(await sessions.credentialOf(undefined, page), null);
  assert.equal(await sessions.credentialOf(cookie, other.page), null);
  assert.equal(await sessions.credentialOf(page, cookie), null);
});

test("a session that is ended is gone on every plane, and another stays", async () => {
  const { clock, open } = createPlace();
  const [here, there] = [open(), open()];
  const { cookie, page } = await here.begin("tp_one");
  const other = await there.begin("tp_two");
  assert.equal(await there.credentialOf(cookie, page), "tp_one");
  await here.end(cookie);
  clock.ms += 1_000;
  assert.equal(await here.credentialOf(cookie, page), null);
  assert.equal(await there.credentialOf(cookie, page), null);
  assert.equal(await here.credentialOf(other.cookie, other.page), "tp_two");
});

test("a session is over after half a day without use, and using it keeps it", async () => {
  const { clock, open } = createPlace();
  const sessions = open();
  const { cookie, page } = await sessions.begin("tp_one");
  clock.ms = 11 * hourMs;
  assert.equal(await sessions.credentialOf(cookie, page), "tp_one");
  clock.ms = 22 * hourMs;
  assert.equal(await sessions.credentialOf(cookie, page), "tp_one");
  clock.ms = 35 * hourMs;
  assert.equal(await sessions.credentialOf(cookie, page), null);
});

test("while the store cannot be reached, a session that was used goes on", async () => {
  const { clock, open } = createPlace();
  const sessions = open();
  const { cookie, page } = await sessions.begin("tp_one");
  clock.isUnreachable = true;
  clock.ms = 5_000;
  assert.equal(await sessions.credentialOf(cookie, page), "tp_one");
  await assert.rejects(open().credentialOf(cookie, page), /unreachable/);
});
