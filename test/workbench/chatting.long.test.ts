import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Script, startScriptedModel } from "../fixtures/llm-script.ts";
import { until } from "../fixtures/until.ts";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld } from "./browser.ts";

const note = { name: "echo__put_note", arguments: { key: "chat", text: "from the model" } };

suite("chatting in the browser", { skip: noBrowser }, () => {
  test("a model's calls are cards, and what needs a yes or is asked by a server is asked in the conversation", async () => {
    const responses: Script = [
      { kind: "tools", calls: [note] },
      { kind: "text", text: "The <b>note</b> is kept." },
      { kind: "text", text: "You asked for a note." },
      {
        kind: "tools",
        calls: [{ name: "elicit__ask_person", arguments: { message: "Who are <b>you</b>?" } }],
      },
      { kind: "text", text: "Now I know you." },
      { kind: "tools", calls: [{ name: "image__png", arguments: {} }] },
      { kind: "text", text: "There it is." },
    ];
    await using model = await startScriptedModel({ responses });
    const models = { default: { baseURL: model.url, model: "scripted" } };
    await using world = await openWorld(
      { echo: fixture("echo"), elicit: fixture("elicit"), image: fixture("image") },
      {
        models,
        policy: {
          profile: "guarded",
          rules: ["elicit", "image"].map((server) => ({ server, verdict: "allow" as const })),
        },
      },
    );
    const { page, complaints } = await world.visit("/chat", {
      viewport: { width: 1280, height: 640 },
    });
    const question = page.getByLabel("Your question");
    await question.fill("Keep a note.");
    await question.press("Enter");
    const card = page.getByRole("article", { name: /A call of echo/ });
    await card.getByText("from the model").waitFor();
    // Whole, above the question, without scrolling.
    const isInSight = `[...document.querySelectorAll("[role=log] button")].some((button) =>
      button.textContent === "Approve" &&
      button.getBoundingClientRect().bottom <= document.querySelector("[role=log]").getBoundingClientRect().bottom)`;
    await until("the button to be in sight", () => page.evaluate<boolean>(isInSight));
    await page
      .getByRole("article", { name: "echo.put_note waits for approval" })
      .getByRole("button", { name: "Approve" })
      .click();
    await card.getByText("stored chat").waitFor();
    await page.getByText("The <b>note</b> is kept.").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await question.fill("What did I ask for?");
    await question.press("Enter");
    await page.getByText("You asked for a note.").waitFor();
    const sent = JSON.stringify(model.requests.at(-1)?.body.messages);
    assert.match(sent, /Keep a note\.[\s\S]*What did I ask for\?/);
    await question.fill("Who am I?");
    await question.press("Enter");
    const form = page.getByRole("article", { name: "elicit asks something" });
    await form.getByText("Who are <b>you</b>?").waitFor();
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Approvals" })
      .click();
    await form.getByLabel(/Name/).waitFor();
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Chat" })
      .click();
    await page.getByText("You asked for a note.").waitFor();
    await form.getByLabel(/Name/).fill("Ann");
    await form.getByRole("button", { name: "Answer" }).click();
    await form.getByText(/The answer is invalid/).waitFor();
    complaints.length = 0;
    await form.getByLabel(/age/).fill("42");
    assert.deepEqual(await accessibilityProblems(page), []);
    await form.getByRole("button", { name: "Answer" }).click();
    await page.getByText("Now I know you.").waitFor();
    await question.fill("Show me something.");
    await question.press("Enter");
    await page.getByText("There it is.").waitFor();
    const pictures = page.getByRole("article", { name: /A call of image/ }).getByRole("img");
    assert.match((await pictures.first().getAttribute("src")) ?? "", /^data:image\//);
    await form.waitFor({ state: "detached" });
    assert.match(
      JSON.stringify(model.requests.at(-1)?.body.messages),
      /\\"name\\":\\"Ann\\",\\"age\\":42/,
    );
    assert.deepEqual(complaints, []);
  });

  test("answers are Markdown without HTML or pictures from elsewhere, and chats are kept, opened, asked again, renamed and deleted", async () => {
    const answer = [
      "## Left to do",
      "1. **Tag** it, see [the list](https://notes.example/x)",
      "2. Publish <img src=x onerror='globalThis.broken = 1'>",
      "",
      "| step | by |",
      "| --- | --- |",
      "| tag | ann |",
      "",
      "```sh",
      "git tag v2",
      "```",
      "![logo](https://evil.example/logo.png) [bad](javascript:alert(1))",
    ].join("\n");
    const responses: Script = [
      { kind: "text", text: answer },
      { kind: "text", text: "Another answer." },
      { kind: "text", text: "Final Answer: in *ReACT*" },
      { kind: "text", text: "Gone on." },
      {
        kind: "tools",
        calls: [
          { name: "run_code", arguments: { code: "return await tools.echo.add({ a: 2, b: 3 })" } },
        ],
      },
      { kind: "text", text: "Five." },
    ];
    await using model = await startScriptedModel({ responses });
    await using world = await openWorld(
      { echo: fixture("echo") },
      {
        models: {
          default: { baseURL: model.url, model: "scripted", price: { input: 1000, output: 2000 } },
        },
      },
    );
    const { page, complaints } = await world.visit("/chat");
    const ask = async (text: string) => {
      await page.getByLabel("Your question").fill(text);
      await page.getByLabel("Your question").press("Enter");
    };
    const log = page.getByRole("log");
    await ask("What is left?");
    await log.getByRole("heading", { name: "Left to do" }).waitFor();
    const link = log.getByRole("link", { name: "the list" });
    assert.equal(await link.getAttribute("rel"), "noopener noreferrer nofollow");
    await log.getByText("(notes.example)").waitFor();
    await log.getByRole("cell", { name: "ann" }).waitFor();
    await log.getByRole("button", { name: "Copy sh code" }).waitFor();
    await log.getByText("<img src=x onerror='globalThis.broken = 1'>").waitFor();
    await log.getByText("[image: logo, not loaded]").waitFor();
    assert.equal(await log.getByRole("link", { name: "bad" }).count(), 0);
    assert.equal(await log.locator("img").count(), 0);
    assert.equal(await page.evaluate("globalThis.broken"), undefined);
    await log.getByText(/default, 10 tokens in, 5 out, 0\.020 USD/).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("button", { name: "Raw" }).click();
    await log.getByText("## Left to do").waitFor();
    await page.getByRole("button", { name: "Raw" }).click();
    await log.getByRole("button", { name: "Regenerate" }).click();
    await log.getByText("Another answer.").waitFor();
    assert.equal(await log.getByRole("heading", { name: "Left to do" }).count(), 0);
    assert.equal(
      (model.requests.at(-1)?.body.messages as unknown[] | undefined)?.filter(isQuestion).length,
      1,
    );
    await page.getByLabel("Style").selectOption("react");
    await ask("And in ReACT?");
    await log.getByText("(ReACT)").waitFor();
    assert.equal(model.requests.at(-1)?.body.tools, undefined, "tools are described in text");
    await page.reload();
    await log.getByText("Another answer.").waitFor();
    await log.getByText("(ReACT)").waitFor();
    await page.getByRole("button", { name: "New chat" }).click();
    await log.getByText("Ask something").waitFor();
    await page.getByRole("navigation", { name: "Kept chats" }).getByText("2 questions").waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("button", { name: "Chats", exact: true }).click();
    const list = page.getByRole("dialog", { name: "Chats" });
    await list.getByRole("button", { name: "Rename What is left?" }).click();
    await list.getByLabel("Title of the chat").fill("The release");
    await list.getByLabel("Title of the chat").press("Enter");
    await list.getByRole("button", { name: "Rename The release" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await list.getByRole("link", { name: /The release/ }).click();
    await log.getByText("Another answer.").waitFor();
    await ask("Go on.");
    await log.getByText("Gone on.").waitFor();
    assert.match(
      JSON.stringify(model.requests.at(-1)?.body.messages),
      /What is left\?[\s\S]*Another answer[\s\S]*Go on/,
    );
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByLabel("Style").selectOption("code");
    await ask("And in code?");
    await log.getByText("Five.").waitFor();
    await log.getByText("return await tools.echo.add({ a: 2, b: 3 })").waitFor();
    const called = log.getByRole("list", { name: "Calls of the program" });
    await called.getByRole("link", { name: "echo.add" }).waitFor();
    await log.getByText("(Code)").waitFor();
    await page.reload();
    await called.getByRole("link", { name: "echo.add" }).waitFor();
    const kept = page.getByRole("navigation", { name: "Kept chats" });
    await kept.getByText("4 questions").waitFor();
    await kept.getByRole("button", { name: "Delete The release" }).click();
    const sure = page.getByRole("dialog", { name: "Delete this chat?" });
    assert.deepEqual(await accessibilityProblems(page), []);
    await sure.getByRole("button", { name: "Delete" }).click();
    await kept.getByText("No chats yet.").waitFor();
    await log.getByText("Ask something").waitFor();
    const { runs } = (await (await fetch(`${world.url}/runs`)).json()) as { runs: unknown[] };
    assert.deepEqual(runs, []);
    assert.deepEqual(complaints, []);
  });
});

const isQuestion = (message: unknown) => (message as { role: string }).role === "user";
