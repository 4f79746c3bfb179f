import assert from "node:assert/strict";
import { test } from "node:test";
import { createPageJudge, describePage, readableText } from "./pages.ts";

const mimeType = "text/html;profile=mcp-app";
const page = (text: string, ui: object = {}) => [
  { uri: "ui://a/b", mimeType, text, _meta: { ui } },
];

test("what people and models can read of a page is without tags, scripts and styles", () => {
  const html =
    "<!doctype html><STYLE>p{}</style><p title='x'>One<b>two</b></p><script>three()</script><!-- four --> 1 < 2";
  assert.equal(readableText(html), "One two four --> 1");
  assert.equal(readableText("no tags"), "no tags");
  assert.equal(readableText("a<script>b"), "a");
});

test("content, type, policy and permissions of a page are what is pinned", () => {
  const digestOf = (contents: unknown) => describePage("ui://a/b", contents)?.digest;
  const first = digestOf(page("<p>1</p>"));
  assert.equal(digestOf(page("<p>1</p>")), first);
  assert.notEqual(digestOf(page("<p>2</p>")), first);
  assert.notEqual(
    digestOf(page("<p>1</p>", { csp: { connectDomains: ["https://evil.example"] } })),
    first,
  );
  assert.notEqual(digestOf(page("<p>1</p>", { permissions: { camera: {} } })), first);
  const blob = Buffer.from("<p>1</p>").toString("base64");
  assert.equal(digestOf([{ uri: "ui://a/b", mimeType, blob }]), first);
  assert.equal(
    digestOf([{ uri: "ui://a/b", mimeType: "Text/HTML; profile=mcp-app", text: "<p>1</p>" }]) ===
      undefined,
    false,
  );
  assert.equal(digestOf([{ uri: "ui://a/b", mimeType: "text/plain", text: "1" }]), undefined);
  assert.equal(digestOf("no list"), undefined);
});

test("all pages of a server that were read are judged together, up to a limit", async () => {
  const judged: number[] = [];
  const { judgePage } = createPageJudge(async (_server, _kind, items) => {
    judged.push(items.length);
    return items.map((item) => ((item as { uri: string }).uri.endsWith("3") ? "held" : null));
  });
  for (let at = 0; at < 520; at++)
    assert.equal(
      await judgePage("one", `ui://a/${at}`, { contents: page(`<p>${at}</p>`) }, undefined),
      String(at).endsWith("3") ? "held" : null,
    );
  assert.deepEqual([judged[0], judged[1], judged.at(-1)], [1, 2, 500]);
  assert.equal(await judgePage("one", "ui://a/x", { contents: [] }, undefined), null);
});
