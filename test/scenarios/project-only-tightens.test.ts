import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { suite, test } from "node:test";
import { safeSections } from "../../src/config/load-config.ts";
import { createSettings } from "../../src/config/settings.ts";
import {
  isGuard,
  lineOf,
  type ProjectKey,
  projectKeys,
} from "../../src/config/trust/project-keys.ts";
import { principalOf } from "../../src/index.ts";
import { openLocalPlane } from "../../src/local-plane.ts";
import { type Config, ConfigValues } from "../../src/model/config/config.ts";
import { isObject, type Path, renderPath } from "../../src/model/json.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { inSurroundings } from "../fixtures/surroundings.ts";
import { fixture } from "./support.ts";

type Def = { innerType?: unknown; shape?: object; valueType?: unknown };

/** Every key of a schema, down to where values are. */
function keysOf(schema: unknown, path: Path = []): Path[] {
  const def = (schema as { _zod: { def: Def } })._zod.def;
  if (def.innerType) return keysOf(def.innerType, path);
  if (def.shape)
    return Object.entries(def.shape).flatMap(([key, inner]) => keysOf(inner, [...path, key]));
  return [path];
}

function linesIn(lines: unknown, path: Path = []): [Path, ProjectKey][] {
  if (!isObject(lines)) return [[path, lines as ProjectKey]];
  return Object.entries(lines).flatMap(([key, inner]) => linesIn(inner, [...path, key]));
}

/** What is in force in a clone, with a configuration of the person's own; null where the plane does not start. */
async function inForce(own: object, theirs: object): Promise<Config | null> {
  await using directory = await temporaryDirectory();
  const mine = directory.file("own.json");
  const project = directory.file("clone/toolplane.json");
  await mkdir(dirname(project));
  await writeFile(mine, JSON.stringify({ mcpServers: {}, ...own }));
  await writeFile(project, JSON.stringify(theirs));
  const place = { files: [project], directory: null, dataDirectory: directory.path };
  return createSettings([mine, project], {}, place).then(
    (settings) => settings.config(),
    () => null,
  );
}

suite("a project only tightens", { concurrency: 4 }, () => {
  test("every key of the configuration has a line that says what a project may do with it", () => {
    const keys = keysOf(ConfigValues).map(renderPath);
    const lines = linesIn(projectKeys).map(([path]) => renderPath(path).replace(/\.\*.*$/, ""));
    const isCovered = (key: string, all: readonly string[]) =>
      all.some((one) => one === key || key.startsWith(`${one}.`) || one.startsWith(`${key}.`));
    assert.deepEqual(
      keys.filter((key) => !isCovered(key, lines)),
      [],
      "keys without a line",
    );
    assert.deepEqual(
      lines.filter((line) => !isCovered(line, keys)),
      [],
      "lines without a key",
    );
    for (const key of ["policy.unknown", "approvals.new", "results.redact.new"])
      assert.equal(lineOf(key.split(".")), "own", key);
  });

  test("a plane does not start with a mistake in any key that guards something", () => {
    const guarded = linesIn(projectKeys).filter(([, line]) => isGuard(line));
    assert.ok(guarded.length > 25);
    assert.deepEqual(
      guarded.map(([path]) => renderPath(path)).filter((key) => !safeSections.test(key)),
      [],
    );
  });

  const attacks: [own: object, theirs: object, section: keyof ConfigValues][] = [
    [{ approvals: { fourEyes: true } }, { approvals: { approvers: ["staff"] } }, "approvals"],
    [{ approvals: { threshold: 2 } }, { approvals: { approvers: ["staff"] } }, "approvals"],
    [
      { approvals: { fourEyes: true, approvers: ["a"] } },
      { approvals: { approvers: ["a"] } },
      "approvals",
    ],
    [{ approvals: { fourEyes: true } }, { approvals: { timeoutMs: "x" } }, "approvals"],
    [
      { approvals: { fourEyes: true, threshold: 2 } },
      { approvals: { approvers: "x" } },
      "approvals",
    ],
    [{ security: { newTools: "quarantine" } }, { security: { poisoning: "x" } }, "security"],
    [{ audit: { required: true } }, { audit: { required: "x" } }, "audit"],
    [{ sampling: { enabled: false } }, { sampling: { maxTokens: -1 } }, "sampling"],
    [{ quotas: { maxHeldOpen: 3 } }, { quotas: { maxSessionsPerCaller: 0 } }, "quotas"],
    [
      { results: { redact: { secrets: true } } },
      { results: { redact: { entropy: "x" } } },
      "results",
    ],
    [
      { results: { redact: { secrets: true } } },
      { results: { redact: { secrets: false } } },
      "results",
    ],
    [{ budgets: { maxCost: 5 } }, { budgets: { maxCost: { USD: 1_000 } } }, "budgets"],
    [{ budgets: { maxCost: { USD: 5 } } }, { budgets: { maxCost: 1_000 } }, "budgets"],
    [{ budgets: { maxCost: { USD: 5 } } }, { budgets: { maxCost: { USD: 6 } } }, "budgets"],
    [{ lazy: { callable: "found" } }, { lazy: { callable: "all" } }, "lazy"],
  ];
  for (const [own, theirs, section] of attacks)
    test(`${JSON.stringify(theirs)} changes nothing of ${JSON.stringify(own)}`, async () => {
      const alone = await inForce(own, {});
      const config = await inForce(own, theirs);
      if (config !== null) assert.deepEqual(config[section], alone?.[section]);
    });

  test("costs by unit are joined, each with the lower one", async () => {
    const own = { budgets: { maxCost: { USD: 5, EUR: 5 } } };
    const config = await inForce(own, { budgets: { maxCost: { USD: 1, GBP: 2 } } });
    assert.deepEqual(config?.budgets.maxCost, { USD: 1, EUR: 5, GBP: 2 });
    assert.equal((await inForce(own, { budgets: { maxCost: 4 } }))?.budgets.maxCost, 4);
  });

  test("a mistake in the user's own file leaves the other keys of its section in force", async () => {
    const config = await inForce({ results: { keepMs: "x", redact: { secrets: true } } }, {});
    assert.equal(config?.results.redact.secrets, true);
  });

  test("with four eyes a member of a group that an untrusted clone names approves nothing", async () => {
    await using root = await temporaryDirectory();
    const home = root.file("home/toolplane");
    const clone = root.file("clone");
    await Promise.all([mkdir(home, { recursive: true }), mkdir(clone)]);
    const own = {
      mcpServers: { echo: fixture("echo") },
      policy: { profile: "guarded" },
      approvals: { fourEyes: true },
    };
    await writeFile(join(home, "toolplane.json"), JSON.stringify(own));
    await writeFile(
      join(clone, "toolplane.json"),
      JSON.stringify({ approvals: { approvers: ["staff"] } }),
    );
    const env = {
      ...process.env,
      XDG_CONFIG_HOME: root.file("home"),
      XDG_DATA_HOME: root.file("data"),
    };
    await inSurroundings({ env, directory: clone }, async () => {
      const place = { files: [], directory: clone, dataDirectory: undefined };
      await using plane = await openLocalPlane({
        ...place,
        user: "ann",
        groups: [],
        persona: undefined,
      });
      const held = await plane.call("echo.put_note", { key: "k", text: "t" });
      const principal = principalOf({ user: "stan", groups: ["staff"] });
      const answer = plane.approvals.answer(
        String(held.approval?.id),
        { decision: "approve" },
        { principal },
      );
      await assert.rejects(answer, { code: "FORBIDDEN" });
    });
  });
});
