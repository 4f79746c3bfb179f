import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { pageAddress } from "../fixtures/servers/pages.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { processFixture, type RunningServe, startServe, writeConfig } from "./support.ts";

type Answer = {
  status: number;
  body: Record<string, never> & { call?: { id: string }; approval?: { id: string } };
};
type Listed = { tool: string; page?: string; kind?: string; status: string; conversation?: string };

suite("a host of pages over HTTP", () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let serving: RunningServe;
  before(async () => {
    directory = await temporaryDirectory();
    const board = (of: string) => processFixture("pages", ["--of", of]);
    const rules = [
      { tool: "one.pages/ui/message", verdict: "deny", reason: "no messages" },
      { tool: "two.refresh", pages: true, verdict: "ask", reason: "a page calls" },
    ];
    const config = await writeConfig(
      directory,
      { one: board("one"), two: board("two") },
      { policy: { rules } },
    );
    serving = await startServe(config, directory.file("data"));
  });
  after(async () => {
    await serving.stop();
    await directory[Symbol.asyncDispose]();
  });

  async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(serving.url + path, {
      method,
      headers: serving.proof,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  }
  const call = (tool: string, page: unknown, more: object = {}) =>
    ask("POST", `/tools/${tool}/call`, { arguments: {}, page, ...more });
  const inConversation = async (conversation: string) =>
    (
      (await ask("GET", `/calls?conversation=${conversation}`)).body as unknown as {
        calls: Listed[];
      }
    ).calls;
  const page = (server: string) => ({ server, uri: pageAddress });

  test("a page calls the tools of its own server that are for pages, and each call says so", async () => {
    assert.equal((await call("one.refresh", page("one"), { conversation: "app-1" })).status, 200);
    assert.equal((await call("one.refresh", page("two"), { conversation: "app-1" })).status, 403);
    assert.equal((await call("one.think", page("one"), { conversation: "app-1" })).status, 403);
    const calls = await inConversation("app-1");
    assert.deepEqual(
      calls.map(({ tool, page: from, status }) => [tool, from, status]),
      [
        ["one.think", pageAddress, "refused"],
        ["one.refresh", pageAddress, "refused"],
        ["one.refresh", pageAddress, "succeeded"],
      ],
    );
  });

  test("a call of a page that needs a yes waits for it, and runs as the page's", async () => {
    const { status, body } = await call("two.refresh", page("two"), { conversation: "app-2" });
    assert.deepEqual([status, body.call !== undefined], [202, true]);
    const [waiting] = await inConversation("app-2");
    assert.equal(waiting?.status, "waiting");
    const answered = await ask("POST", `/approvals/${body.approval?.id}`, { decision: "approve" });
    assert.equal(answered.status, 200);
    const calls = await inConversation("app-2");
    assert.deepEqual(
      calls.map(({ status: how, page: from }) => [how, from]),
      [["succeeded", pageAddress]],
    );
    assert.equal((await call("two.refresh", undefined)).status, 200, "the rule is for pages alone");
  });

  test("what a page reads is on record with the page", async () => {
    const query = new URLSearchParams({
      uri: "ui://board/part.html",
      page: pageAddress,
      conversation: "app-3",
    });
    assert.equal((await ask("GET", `/servers/one/resource?${query}`)).status, 200);
    const [read] = await inConversation("app-3");
    assert.deepEqual(
      [read?.tool, read?.kind, read?.page],
      ["one.resources/ui://board/part.html", "resource", pageAddress],
    );
  });

  test("what a page asks its host takes the path: it is on record, and a rule can refuse it", async () => {
    const asked = (server: string, method: string, params: object = {}) =>
      ask("POST", `/servers/${server}/pages`, {
        page: pageAddress,
        method,
        params,
        conversation: "app-4",
      });
    assert.equal((await asked("one", "ui/open-link", { url: "https://example.com" })).status, 200);
    assert.equal((await asked("one", "ui/message", { content: [] })).status, 403);
    assert.equal((await asked("two", "ui/message", { content: [] })).status, 200);
    assert.equal(
      (await asked("two", "notifications/message", { level: "info", data: "hello" })).status,
      200,
    );
    assert.equal((await asked("nowhere", "ui/message")).status, 404);
    assert.equal((await asked("two", "tools/call")).status, 400);
    assert.equal((await asked("two", "ui/../../x")).status, 400);
    const calls = await inConversation("app-4");
    assert.deepEqual(
      calls.slice(-4).map(({ tool, kind, status }) => [tool, kind, status]),
      [
        ["two.pages/notifications/message", "page", "succeeded"],
        ["two.pages/ui/message", "page", "succeeded"],
        ["one.pages/ui/message", "page", "refused"],
        ["one.pages/ui/open-link", "page", "succeeded"],
      ],
    );
  });

  test("a page that is no page is refused by name", async () => {
    for (const wrong of [
      "ui://board/page.html",
      {},
      { server: "one" },
      { server: "one", uri: 1 },
      [],
      null,
    ]) {
      const { status, body } = await call("one.refresh", wrong);
      assert.equal(status, 400, JSON.stringify(wrong));
      assert.match(JSON.stringify(body), /'page' must be the page that calls/);
    }
  });

  test("the document for pages is served to the workbench alone, without a credential and without data", async () => {
    const csp = encodeURIComponent(JSON.stringify({ connectDomains: ["https://api.example.com"] }));
    const answer = await fetch(`${serving.url}/workbench/app-frame?csp=${csp}`);
    assert.equal(answer.status, 200);
    assert.match(
      String(answer.headers.get("content-security-policy")),
      /^sandbox allow-scripts allow-forms; /,
    );
    assert.match(
      String(answer.headers.get("content-security-policy")),
      /connect-src blob: data: https:\/\/api\.example\.com;/,
    );
    assert.match(String(answer.headers.get("content-security-policy")), /frame-ancestors 'self'/);
    assert.equal(answer.headers.get("set-cookie"), null);
  });
});
