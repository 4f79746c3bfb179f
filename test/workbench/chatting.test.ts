import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Script, startScriptedModel } from "../fixtures/llm-script.ts";
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
    const { page, complaints } = await world.open("/chat");
    const question = page.getByLabel("Your question");
    await question.fill("Keep a note.");
    await question.press("Enter");
    const card = page.getByRole("article", { name: /A call of echo/ });
    await card.getByText("from the model").waitFor();
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
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Approvals" }).click();
    await form.getByLabel(/Name/).waitFor();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Chat" }).click();
    await page.getByText("You asked for a note.").waitFor();
    await form.getByLabel(/Name/).fill("Ann");
    await form.getByRole("button", { name: "Answer" }).click();
    await form.getByText(/The answer does not fit/).waitFor();
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
    assert.match(JSON.stringify(model.requests.at(-1)?.body.messages), /\\"name\\":\\"Ann\\",\\"age\\":42/);
    assert.deepEqual(complaints, []);
  });
});
