import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "../../../model/config/config.ts";
import { renderChange } from "./serve.ts";

const none = { added: [], removed: [], changed: [] };

function withTools(...descriptions: string[]): Config {
  const tools = descriptions.map((description, at) => ({ name: `tool_${at}`, description }));
  const fromManifests = { tools, skills: [], tasks: [], jobs: [{ name: "digest" }] };
  return { tools: {}, fromManifests } as unknown as Config;
}

test("what changed in the configuration is reported: servers by name, what manifests define by number", () => {
  const before = withTools("a", "b");
  assert.equal(renderChange(none, before, withTools("a", "b")), "no server and no tool changed");
  assert.equal(renderChange(none, before, withTools("a", "c")), "1 tool changed");
  assert.equal(
    renderChange({ ...none, added: ["x", "y"], changed: ["z"] }, before, withTools()),
    "added x, y; changed z; 2 tools changed",
  );
});
