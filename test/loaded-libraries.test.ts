import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { registerHooks } from "node:module";
import { test } from "node:test";
import { temporaryDirectory } from "./fixtures/start-server.ts";
import { until } from "./fixtures/until.ts";
import { task, workConfig } from "./scenarios/work-world.ts";

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

const { href: place } = new URL("../packages/", import.meta.url);
/** What they declare is read from the sources alone: the build has worked it out (scripts/built-tables.ts). */
const isDeclaration = (url: string) => /\/src\/(?:operations|views)\//.test(url);
const ofPackages = () =>
  loaded
    .filter((url) => url.startsWith(place) && !isDeclaration(url))
    .map((url) => url.slice(place.length));
const packages = () => [...new Set(ofPackages().map((path) => path.split("/")[0]))];
const plain = { mcpServers: {}, security: { pinning: "off", poisoning: "off" } } as const;

test("a plane loads no package before it is used, and then that one alone", async () => {
  const { createPlane } = await import("../src/index.ts");
  await using plane = await createPlane({ config: plain });
  await plane.tools.list();
  plane.toolsets.register("all", { providers: [] });
  assert.equal(plane.toolset("all").hasToolCalls({ role: "assistant", content: "hello" }), false);
  assert.deepEqual(packages(), []);
  await plane.search({ query: "weather" });
  assert.deepEqual(packages(), ["search"]);
  assert.deepEqual((await plane.runs.page()).runs, []);
  assert.deepEqual(packages(), ["search", "agent"]);
});

test("a plane that serves loads the package of work with its first job, and not before", async () => {
  const { createPlane } = await import("../src/index.ts");
  await using directory = await temporaryDirectory();
  const data = directory.file("data");
  const without = await createPlane({ config: plain, dataDirectory: data, schedules: true });
  without.start();
  await until(
    "the first look at the store",
    () => existsSync(data) && readdirSync(data).length > 0,
  );
  // It ends the look that it has begun.
  await without.stop();
  assert.equal(packages().includes("work"), false);
  const jobs = [{ name: "news", personas: ["Ada"], task_graph: [{ task: "ask" }] }];
  await using plane = await createPlane({
    config: await workConfig(directory, {}, { tasks: [task("ask", [])], jobs }),
    dataDirectory: data,
    schedules: true,
  });
  plane.start();
  await until("the package of work is loaded", () => packages().includes("work"));
});
