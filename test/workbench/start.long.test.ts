import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "../fixtures/free-port.ts";
import { fixtureEnvironment, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { fixture } from "../scenarios/support.ts";
import { noBrowser, openWorld } from "./browser.ts";
import { openBrowser } from "./chromium.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("npm start builds and serves a workbench that shows the five bundled servers", {
  skip: noBrowser,
}, async () => {
  await using directory = await temporaryDirectory();
  const port = String(await freePort());
  const words = ["start", "--", "--port", port, "--data-dir", directory.file("data")];
  const started = spawn("npm", words, {
    cwd: root,
    env: { ...fixtureEnvironment(), HOME: directory.path },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const browser = await openBrowser();
  try {
    for await (const line of createInterface(started.stdout))
      if (line.includes(`:${port}/workbench/`)) break;
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.goto(`http://127.0.0.1:${port}/workbench/servers`);
    for (const name of ["demo", "everything", "filesystem", "memory", "planner"])
      await page.getByRole("link", { name, exact: true }).waitFor();
  } finally {
    await browser.close();
    started.kill();
    await once(started, "exit");
    await until("the end of the plane", async () => !(await isListening(port)));
  }
});

/** A signal for npm has to end the plane that it started. */
async function isListening(port: string): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    () => true,
    () => false,
  );
}

test("a page whose script does not run says so and what to do", { skip: noBrowser }, async () => {
  await using world = await openWorld({ echo: fixture("echo") });
  const failures = [
    { serve: { contentType: "text/javascript", body: "const broken = ;" }, reason: /SyntaxError/ },
    { serve: { status: 404, body: "" }, reason: /could not be loaded/ },
  ];
  for (const { serve, reason } of failures) {
    const page = await world.browser.newPage();
    await page.route("**/assets/index-*.js", (route) => route.fulfill(serve));
    await page.goto(`${world.url}/workbench/`);
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.match((await alert.textContent()) ?? "", /did not start/);
    assert.match((await alert.textContent()) ?? "", reason);
    await page.close();
  }
});
