import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { bundled } from "../../src/bundled.ts";
import { createSetup } from "../../src/config/setup.ts";
import { askThrough } from "../../src/faces/cli/start/wizard.ts";
import { declined, type Prompts } from "../../src/faces/cli/terminal/questions.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli } from "./support.ts";

/** A person who gives these answers in turn; what is offered to be kept is kept with "=". */
function scripted(...answers: unknown[]): Prompts & { left(): number } {
  const next = (message: string) => {
    assert.ok(answers.length > 0, `no answer is left for: ${message}`);
    return answers.shift();
  };
  return {
    left: () => answers.length,
    confirm: async (message) => next(message) as boolean,
    async choose(message, values) {
      const answer = next(message);
      if (answer !== declined)
        assert.ok(values.includes(answer), `${message} ${String(answer)}: ${values.join()}`);
      return answer;
    },
    async write(message, { usual }) {
      const answer = next(message);
      return answer === "=" ? usual : (answer as string);
    },
  };
}

async function wizardIn(file: string, directory: string, ...answers: unknown[]) {
  const place = { environment: {}, platform: process.platform, program: ["toolplane"] as const };
  const setup = createSetup({ files: [file], directory, ...place }, bundled.import);
  const prompts = scripted(...answers, "done");
  const told: string[] = [];
  await askThrough(setup, prompts, (text) => told.push(text));
  assert.equal(prompts.left(), 0);
  return { config: JSON.parse(await readFile(file, "utf8")), told };
}

test("the wizard adds, changes and deletes servers and toolsets, and says what cannot be", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("toolplane.json");
  await writeFile(
    file,
    JSON.stringify({
      mcpServers: { old: { command: "node", args: ["a b.js"], description: "Kept" } },
    }),
  );
  const wizard = (...answers: unknown[]) => wizardIn(file, directory.path, ...answers);

  const added = await wizard(
    "add a server",
    "",
    "old",
    "web",
    "http",
    "ftp://x",
    "https://example.org/mcp",
    "Authorization=Bearer a,b",
    "add a server",
    "files",
    "stdio",
    "",
    'npx -y "my server" .',
    "nonsense",
    "A=1,B=x,y",
  );
  assert.deepEqual(added.config.mcpServers.web, {
    url: "https://example.org/mcp",
    headers: { Authorization: "Bearer a,b" },
  });
  assert.deepEqual(added.config.mcpServers.files, {
    command: "npx",
    args: ["-y", "my server", "."],
    env: { A: "1", B: "x,y" },
  });
  assert.match(
    added.told.join("\n"),
    /needs a name[\s\S]*'old' already[\s\S]*not a URL[\s\S]*A command is needed[\s\S]*not NAME=value/,
  );

  const changed = await wizard("change a server", "old", "stdio", "=", "PORT=1");
  assert.deepEqual(changed.config.mcpServers.old, {
    description: "Kept",
    command: "node",
    args: ["a b.js"],
    env: { PORT: "1" },
  });

  const toolset = await wizard(
    "add a toolset",
    "mine",
    "gone",
    "web,files",
    "read,write",
    "0",
    "5",
    "-1",
    "30",
  );
  assert.deepEqual(toolset.config.toolsets.mine, {
    providers: ["web", "files"],
    allow_tools: ["read", "write"],
    max_tool_call_turns: 5,
    timeout_sec: 30,
  });
  const other = await wizard("change a toolset", "mine", "web", "", "=", "");
  assert.deepEqual(other.config.toolsets.mine, { providers: ["web"], max_tool_call_turns: 5 });

  const kept = await wizard("delete a server", "web", false, "delete all servers", declined);
  assert.deepEqual(Object.keys(kept.config.mcpServers), ["old", "web", "files"]);
  const fewer = await wizard("delete a server", "web", true, "delete a toolset", "mine", true);
  assert.deepEqual(
    [Object.keys(fewer.config.mcpServers), fewer.config.toolsets],
    [["old", "files"], {}],
  );
  const none = await wizard("delete all servers", true);
  assert.deepEqual(none.config.mcpServers, {});
});

test("without a terminal the wizard says what to use instead", async () => {
  const { code, stderr } = await runCli(["servers", "wizard"]);
  assert.equal(code, 2);
  assert.match(stderr, /asks at a terminal/);
});
