import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { z } from "zod";
import { createDocument } from "./describe-route.ts";
import { docsPolicy, renderDocsPage } from "./docs-page.ts";

test("the page shows every route, its parameters, body and answers, as text", () => {
  const page = renderDocsPage(
    createDocument([
      {
        method: "post",
        path: "/tools/{name}/call",
        tag: "Tools",
        scope: "call",
        summary: "Call a `tool`",
        params: { name: "Its <name>." },
        body: { schema: z.object({}), description: "The arguments.", example: { q: "<script>" } },
        answers: { 200: { description: "What it said.", schema: z.object({}) } },
      },
    ]),
  );
  for (const part of [
    "<b>POST</b><code>/tools/{name}/call</code>",
    "Call a <code>tool</code>",
    "Its &lt;name&gt;.",
  ])
    assert.ok(page.includes(part), part);
  assert.match(page, /&quot;q&quot;: &quot;&lt;script&gt;&quot;/);
  assert.match(page, /What it said\./);
  assert.doesNotMatch(page, /<script/);
  const [, style = ""] = /<style>(.*)<\/style>/s.exec(page) ?? [];
  assert.ok(docsPolicy.includes(createHash("sha256").update(style).digest("base64")));
});
