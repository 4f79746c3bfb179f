import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { skillText, writeFiles } from "../fixtures/skill-folder.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { accessibilityProblems, noBrowser, openWorld, type World } from "./browser.ts";

suite("skills in the browser", { skip: noBrowser }, () => {
  let directory: TemporaryDirectory;
  let world: World;
  before(async () => {
    directory = await temporaryDirectory();
    const hostile =
      "# Steps\n<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>\n";
    await writeFiles(directory.path, {
      "refunds/SKILL.md": skillText("refunds", "How customers get their money back.", hostile),
      "broken/SKILL.md": "# nothing\n",
    });
    world = await openWorld({ handbook: { skills: directory.path } });
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  test("a folder's skills are shown with their text, which stays text, and with what is left out", async () => {
    const { page, complaints } = await world.visit("/skills");
    await page.getByText("How customers get their money back.").waitFor();
    await page.getByText("SKILL.md does not begin with name and description").waitFor();
    await page.getByRole("button", { name: "Show text" }).click();
    await page.getByRole("heading", { name: "Steps" }).waitFor();
    await page.getByText("onerror").waitFor();
    assert.doesNotMatch(await page.title(), /taken/);
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });
});
