import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { agentRun } from "../../../test/contracts/records.ts";
import { PlaneError, reportError } from "../../model/errors.ts";
import { renderRunPage } from "./render-html.ts";

const hostile = `</style></script><script>alert(1)</script><img src=x onerror=alert(1)>" onload="alert(1)' x='&lt;\u202e`;

/** Every tag of a page with its attributes, as far as a browser would see them. */
function tagsOf(html: string): string[] {
  return [...html.replace(/<style>[\s\S]*?<\/style>/, "").matchAll(/<([a-z][a-z0-9]*)\b([^>]*)>/gi)].map(
    ([, name = "", rest = ""]) => `${name} ${[...rest.matchAll(/([\w-]+)=/g)].map(([, one]) => one).join(" ")}`.trim(),
  );
}

test("the page tells the conversation, the calls with what they cost, and where the time went", () => {
  const { text } = renderRunPage(agentRun("one"));
  for (const part of [
    "Which issues are open?",
    "I have to look.",
    "github_search_issues",
    "2 attempts",
    "1,000 tokens",
  ])
    assert.ok(text.includes(part), part);
  assert.match(text, /<pre>\{\n {2}&quot;state&quot;: &quot;open&quot;/);
  assert.equal(text.match(/<rect class="bar-model"/g)?.length, 2);
  assert.equal(text.match(/<rect class="bar-call"/g)?.length, 1);
});

test("whatever is written into a run is text in its page, and adds neither a tag nor an attribute", () => {
  const run = agentRun("one", {
    ...{
      id: hostile,
      user: hostile,
      question: hostile,
      model: hostile,
      toolset: hostile,
      conversation: hostile,
    },
    answer: hostile,
    error: reportError(new PlaneError("INTERNAL", hostile)),
    messages: [
      { role: "system", content: hostile },
      { role: "user", content: [{ type: "text", text: hostile }] },
      {
        role: "user",
        content: [{ type: "image_url", image_url: { url: `data:image/png;base64,AA==${hostile}` } }],
      },
      { role: "user", content: [{ type: "image_url", image_url: { url: `javascript:alert(1)` } }] },
      {
        ...{ role: "assistant", content: hostile, reasoning_content: hostile },
        tool_calls: [
          {
            id: hostile,
            type: "function",
            function: { name: hostile, arguments: JSON.stringify({ [hostile]: hostile }) },
          },
        ],
      },
      { role: "tool", tool_call_id: hostile, content: hostile },
      { role: "tool", tool_call_id: "orphan", content: hostile },
    ],
  });
  for (const step of run.steps)
    step.calls = [
      {
        id: hostile,
        tool: hostile,
        record: hostile,
        status: hostile,
        durationMs: 1,
        provider: hostile,
        attempts: 2,
      },
    ];
  const { text } = renderRunPage(run);
  const tags = tagsOf(text);
  assert.ok(tags.length > 50, "tags are found");
  const known =
    /^(?:html lang|head|meta [\w -]+|title|style|body|main|header|p class|h1|h2|div class|span class|span|b|section class|details class|summary|pre|footer|svg viewBox role aria-label|line x1 x2 y1 y2|text [\w -]+|rect class x y width height rx)$/;
  assert.deepEqual(
    tags.filter((tag) => !known.test(tag)),
    [],
  );
  assert.ok(!text.includes("\u202e"));
});

test("its policy lets it use its own style and pictures that are in it, and nothing else", () => {
  const { text, policy } = renderRunPage(agentRun("one"));
  const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  assert.equal(
    policy,
    `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  assert.doesNotMatch(text, /\sstyle=|https?:|<script/);
});

test("a picture in the conversation is shown, and none is fetched", () => {
  const picture = (url: string) => [{ type: "image_url", image_url: { url } }] as const;
  const page = (url: string) =>
    renderRunPage(agentRun("one", { messages: [{ role: "user", content: [...picture(url)] }] })).text;
  assert.match(page("data:image/png;base64,iVBORw0KGgo="), /<img src="data:image\/png;base64,iVBORw0KGgo=" alt/);
  assert.doesNotMatch(page("https://tracker.example/x.png"), /<img/);
  assert.doesNotMatch(page("data:image/svg+xml;base64,PHN2Zz4="), /<img/);
});

test("a run without steps, and one with thousands of calls, have a page", () => {
  assert.doesNotMatch(renderRunPage(agentRun("one", { steps: [], messages: [] })).text, /<svg/);
  const run = agentRun("one");
  const [first] = run.steps;
  const calls = Array.from({ length: 3_000 }, (_, at) => ({ ...first?.calls[0], id: `${at}` }) as never);
  const { text } = renderRunPage({ ...run, steps: first ? [{ ...first, calls }] : [] });
  assert.match(text, /2801 more are not drawn/);
});
