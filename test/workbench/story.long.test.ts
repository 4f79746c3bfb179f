import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type ScriptedModel, startScriptedModel } from "../fixtures/llm-script.ts";
import { until } from "../fixtures/until.ts";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type World } from "./browser.ts";

const hostile =
  '<img src=x onerror="window.hurt=1"> \u202Eevil\u202C **bold** <script>window.hurt=1</script>';
const long = "w".repeat(3_000);

suite("the story of a run", { skip: noBrowser }, () => {
  let model: ScriptedModel;
  let world: World;
  before(async () => {
    model = await startScriptedModel({
      responses: (body) => {
        const messages = body.messages as { role: string; content: unknown }[];
        const asked = JSON.stringify(messages.findLast(({ role }) => role === "user")?.content);
        const isAnswered = messages.at(-1)?.role === "tool";
        if (isAnswered)
          return { kind: "text", text: `# Done\n\n- **one** ${hostile}\n- two ${long}` };
        const call = asked.includes("slowly")
          ? { name: "echo__slow", arguments: { ms: 60_000 } }
          : asked.includes("approval")
            ? { name: "echo__echo", arguments: { message: hostile } }
            : { name: "echo__add", arguments: { a: 1, b: 2 } };
        return { kind: "tools", reasoning: `I look first. ${hostile}`, calls: [call] };
      },
    });
    world = await openWorld(
      { echo: fixture("echo") },
      {
        observability: { keepPayloads: true },
        models: { default: { baseURL: model.url, model: "scripted" } },
        policy: { rules: [{ tool: "echo.echo", verdict: "ask", reason: "people look at it" }] },
      },
    );
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await model.close();
  });

  const ask = (question: string, more: object = {}) =>
    fetch(`${world.url}/agent`, {
      method: "POST",
      headers: world.proof,
      body: JSON.stringify({ question, trace: "all_messages", ...more }),
    });
  type Listed = { id: string; conversation: string };
  const listed = async (path: string) =>
    ((await (await fetch(world.url + path)).json()) as { runs: Listed[] }).runs;

  test("is read from the question to the answer, over time and as text to copy; what others wrote stays text", async () => {
    await (await ask(`Add. ${hostile}`)).text();
    const [run] = await listed("/runs");
    const { page, complaints } = await world.visit(`/runs/${run?.id}`);
    await page.getByRole("heading", { level: 1, name: /^Add\./ }).waitFor();
    const story = page.getByRole("region", { name: "Story" }).or(page.locator("main"));
    await story.getByRole("heading", { name: "Done" }).waitFor();
    const turns = page.getByRole("list", { name: "Turns and calls" });
    assert.equal(await turns.getByText(/^model, turn/).count(), 2);
    assert.equal(
      await page.locator("dt", { hasText: "Turns" }).locator("+ dd").innerText(),
      "2, 1 with tools",
    );
    await page.getByRole("article", { name: "echo.add" }).getByText("Raw").waitFor();
    assert.equal(await page.evaluate("window.hurt"), undefined);
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.ok(
      await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
      "nothing scrolls sideways",
    );
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("button", { name: "As text" }).click();
    await page.getByText(/^Run \S+: completed in/).waitFor();
    await page.getByRole("button", { name: "Copy the whole run" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await turns.getByRole("link", { name: /^echo\.add/ }).click();
    await page.getByRole("heading", { level: 1, name: "echo.add" }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test("a run that goes on stands first, shows what it does, and is stopped", async () => {
    const { page, complaints } = await world.visit("/calls?view=runs");
    await page.getByRole("link", { name: /^Add\./ }).waitFor();
    const asked = ask("Do it slowly");
    const now = page.getByRole("region", { name: "Agents at work" });
    await now.getByText("echo__slow").waitFor();
    await now.getByRole("link", { name: "Do it slowly" }).click();
    await page.getByText("running", { exact: true }).waitFor();
    await page.getByRole("article", { name: "echo__slow" }).getByLabel("Under way").waitFor();
    await page
      .getByRole("list", { name: "Turns and calls so far" })
      .getByText("echo__slow")
      .waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("cancelled", { exact: true }).first().waitFor();
    await page.getByRole("list", { name: "Turns and calls", exact: true }).waitFor();
    await asked;
    // The page asks for a run that is not kept yet.
    assert.deepEqual(
      complaints.filter((text) => !text.includes("404")),
      [],
    );
  });

  test("waiting for a person looks different from running, live and afterwards", async () => {
    const streamed = fetch(`${world.url}/agent`, {
      method: "POST",
      headers: { ...world.proof, prefer: "wait=60" },
      body: JSON.stringify({ question: "With approval, waiting", trace: "all_messages" }),
    });
    await until("the run", async () => (await listed("/runs/running")).length === 1);
    const [run] = await listed("/runs/running");
    const { page } = await world.visit(`/runs/${run?.id}`);
    const card = page.getByRole("article", { name: "echo__echo" });
    await card.getByText("Waits for approval.").waitFor();
    await page.getByText("waiting for approval", { exact: true }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await card.getByRole("link", { name: "Decide" }).click();
    await page.getByRole("button", { name: "Approve", exact: true }).first().click();
    await streamed;
    await page.goto(`${world.url}/workbench/runs/${run?.id}`);
    await page.getByText("waiting for approval", { exact: true }).waitFor();
    await page
      .getByRole("article", { name: "echo.echo" })
      .getByRole("link", { name: "The approval" })
      .waitFor();
  });

  test("two calls are compared by what they were given, line by line and at full width", async () => {
    const call = async (args: object) => {
      const response = await fetch(`${world.url}/tools/echo.add/call`, {
        method: "POST",
        headers: world.proof,
        body: JSON.stringify({ arguments: args }),
      });
      return ((await response.json()) as { call: { id: string } }).call.id;
    };
    await call({ a: 5, b: 6 });
    await call({ a: "none" });
    const last = await call({ a: 5, b: 7 });
    const { page, complaints } = await world.visit(`/calls/${last}`);
    const choices = page.getByRole("list", { name: "Calls to compare with" });
    await page.getByLabel("Status of the other call").selectOption("refused");
    await choices.getByText('{"a":"none"}').waitFor();
    assert.equal(await choices.getByRole("link").count(), 1);
    await page.getByLabel("Status of the other call").selectOption("");
    await page.getByRole("searchbox", { name: "Search arguments and times" }).fill('"b":6');
    assert.deepEqual(await accessibilityProblems(page), []);
    await choices.getByRole("link").click();
    const difference = page.getByRole("group", { name: "Difference" });
    await difference.getByText('-  "b": 6').waitFor();
    await difference.getByText('+  "sum": 12').waitFor();
    assert.ok(((await difference.boundingBox())?.width ?? 0) > 800);
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("link", { name: "Choose another call" }).click();
    await choices.waitFor();
    assert.deepEqual(complaints, []);
  });

  test("a page that is loaded again does not end the run of its chat, and Stop does", async () => {
    const { page } = await world.visit("/chat");
    await page.getByLabel("Your question").fill("Please do it slowly");
    await page.keyboard.press("Enter");
    await page.getByRole("article").getByLabel("Under way").waitFor();
    await page.reload();
    await page.getByRole("article").getByLabel("Under way").waitFor();
    assert.equal((await listed("/runs/running")).length, 1);
    await page.goto(`${world.url}/workbench/servers${world.pass}`);
    await page.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
    assert.equal((await listed("/runs/running")).length, 1);
    await page.goBack();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Ask", exact: true }).waitFor();
    await until("the end", async () => (await listed("/runs/running")).length === 0);
  });
});
