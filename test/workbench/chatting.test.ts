import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Script, startScriptedModel } from "../fixtures/llm-script.ts";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld } from "./browser.ts";

const note = { name: "echo__put_note", arguments: { key: "chat", text: "from the model" } };

suite("chatting in the browser", { skip: noBrowser }, () => {
  test("a model's calls are cards, what needs a yes is asked in the conversation, and the answer follows", async () => {
    const responses: Script = [
      { kind: "tools", calls: [note] },
      { kind: "text", text: "The <b>note</b> is kept." },
      { kind: "text", text: "You asked for a note." },
    ];
    await using model = await startScriptedModel({ responses });
    const models = { default: { baseURL: model.url, model: "scripted" } };
    await using world = await openWorld(
      { echo: fixture("echo") },
      { models, policy: { profile: "guarded" } },
    );
    const { page, complaints } = await world.open("/chat");
    const question = page.getByLabel("Your question");
    await question.fill("Keep a note.");
    await question.press("Enter");
    const card = page.getByRole("article", { name: /A call of echo/ });
    await card.getByText("from the model").waitFor();
    await page
      .getByRole("article", { name: "echo.put_note waits for an answer" })
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
    assert.deepEqual(complaints, []);
  });

  test("without a model the page says where to write one", async () => {
    await using world = await openWorld({});
    const { page } = await world.open("/chat");
    await page.getByText("No model is configured").waitFor();
  });
});
