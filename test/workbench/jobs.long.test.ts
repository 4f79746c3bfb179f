import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture } from "../scenarios/support.ts";
import { skill, task } from "../scenarios/work-world.ts";
import { accessibilityProblems, noBrowser, openWorld } from "./browser.ts";

const work = {
  skills: [
    skill("say", { steps: [{ id: "say", tool: "fx.echo", arguments: { message: "hello" } }] }),
  ],
  tasks: [task("tell", ["say"])],
  jobs: [
    {
      name: "news",
      summary: "Says hello every morning",
      personas: ["Atlas"],
      required_skills: ["say"],
      task_graph: [{ task: "tell" }],
      recurrence: { cron: "0 9 * * mon", timezone: "Europe/Berlin" },
    },
  ],
};

suite("jobs in the browser", { skip: noBrowser }, () => {
  test("a job is looked at, checked, run, paused and resumed", async () => {
    await using directory = await temporaryDirectory();
    const files = Object.entries(work).map(([kind, entries]) =>
      writeFile(directory.file(`${kind}.json`), JSON.stringify(entries)),
    );
    await Promise.all(files);
    const manifests = { manifests: [directory.file("*.json")] };
    await using world = await openWorld({ fx: fixture("echo") }, manifests);
    const { page, complaints } = await world.visit("/jobs");
    await page.getByText("Monday at 09:00 (Europe/Berlin)").waitFor();
    await page.getByRole("button", { name: "news" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Check readiness" }).click();
    await dialog.getByLabel("Preflight").getByText("ready", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Run now", exact: true }).click();
    await dialog.getByText("succeeded").first().waitFor();
    await dialog.getByRole("link", { name: "fx.echo" }).waitFor();
    await dialog.getByRole("button", { name: "Pause" }).click();
    await dialog.getByRole("button", { name: "Resume" }).click();
    await dialog.getByRole("button", { name: "Pause" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });
});
