import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { test } from "node:test";

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});

test("croner is loaded with the first job that comes again, and not before", async () => {
  await import("../src/index.ts");
  const { checkEntry } = await import("../src/config/manifests/check-entry.ts");
  const isLoaded = () => loaded.some((url) => url.includes("/croner/"));
  const job = { name: "j", personas: ["P"], task_graph: [{ task: "t" }] };
  assert.deepEqual((await checkEntry("job", job, {})).problems, []);
  assert.ok(loaded.length > 0);
  assert.equal(isLoaded(), false);
  const recurrence = { cron: "0 0 30 2 *", timezone: "Europe/Berlin" };
  const { problems } = await checkEntry("job", { ...job, recurrence }, {});
  assert.match(problems[0]?.message ?? "", /never comes/);
  assert.equal(isLoaded(), true);
});

test("a plane loads no package before it is used, and then that one alone", async () => {
  const { createPlane } = await import("../src/index.ts");
  const { href: place } = new URL("../packages/", import.meta.url);
  const ofPackages = () => loaded.filter((url) => url.startsWith(place)).map((url) => url.slice(place.length));
  const packages = () => [...new Set(ofPackages().map((path) => path.split("/")[0]))];
  await using plane = await createPlane({
    config: { mcpServers: {}, security: { pinning: "off", poisoning: "off" } },
  });
  await plane.tools.list();
  assert.deepEqual(packages(), []);
  await plane.search({ query: "weather" });
  assert.deepEqual(packages(), ["search"]);
});
