import assert from "node:assert/strict";
import { createPlane } from "../../src/index.ts";
import { startGateway } from "../../test/fixtures/conformance/start-gateway.ts";
import { reactAction, reactAnswer, startScriptedModel } from "../../test/fixtures/llm-script.ts";
import {
  readLog,
  receivedMessages,
  startHttpFixture,
  temporaryDirectory,
} from "../../test/fixtures/start-server.ts";
import { runCli } from "../../test/scenarios/support.ts";
import { dataOf, tellStory } from "../story.ts";

const { chapter, promise } = tellStory("Seed 003: what a tool takes, as its configuration says");
await using directory = await temporaryDirectory();
const log = directory.file("log");
await using bank = await startHttpFixture("../../../examples/seed-003/server", [
  "--token",
  "t",
  "--log",
  log,
]);
Object.assign(process.env, { BANK_URL: bank.url, BANK_TOKEN: "t" });
const file = (name: string) => `${import.meta.dirname}/${name}`;
type Received = { tool: string; given: Record<string, unknown> };
const calls = () => receivedMessages(readLog(log), "tools/call").length;

await using model = await startScriptedModel({
  responses: [
    reactAction("I look.", "get_bank_balance", { account_id: 7 }),
    reactAction("It is a text.", "get_bank_balance", { account_id: "7" }),
    reactAnswer("I know.", "It is 42."),
    reactAction("First in.", "log_in"),
    reactAction("Now.", "transfer", { amount: 5 }),
    reactAnswer("Done.", "Moved."),
    { kind: "text", text: '[{"goal": "look at account 7", "tool_hint": "get_bank_balance"}]' },
    { kind: "tools", calls: [{ name: "get_bank_balance", arguments: { account_id: "7" } }] },
    { kind: "text", text: "There are 42." },
    { kind: "text", text: "42 in all." },
  ],
});
process.env.MODEL_URL = model.url;
const sent = (at: number) => (model.requests[at]?.body.messages ?? []) as { content: string }[];
const promptOf = (at: number) => String(sent(at)[0]?.content);
const lastOf = (at: number) => String(sent(at).at(-1)?.content);

chapter("As it was: an entry without arguments");
await promise(
  "it works as before: no arguments are shown, and all that is sent arrives unchanged",
  async () => {
    await using plane = await createPlane({ config: file("legacy.json") });
    const { parameters } = await plane.tools.get("get_bank_balance");
    assert.deepEqual(parameters.properties ?? {}, {});
    const given = { account_id: "7", anything: [1, { deep: true }] };
    assert.deepEqual(dataOf<Received>(await plane.call("get_bank_balance", given)).given, given);
  },
);

await using serving = await startGateway(
  {},
  { plane: { config: [file("tools.json"), file("models.json")] } },
);
const { plane } = serving;

chapter("With arguments");
await promise(
  "the tool has the arguments of the configuration, with type and description",
  async () => {
    const { parameters } = await plane.tools.get("get_bank_balance");
    assert.deepEqual(parameters.properties, {
      account_id: { type: "string", description: "Bank account identifier" },
      date: {
        type: "string",
        description: "Date for balance query (optional, format: YYYY-MM-DD)",
      },
    });
  },
);
await promise("an argument that is described as optional is optional", async () =>
  assert.deepEqual((await plane.tools.get("get_bank_balance")).parameters.required, ["account_id"]),
);
await promise(
  "what a caller gives is passed on unchanged, under the remote tool's name",
  async () => {
    const given = { account_id: "7", date: "2026-11-16" };
    assert.deepEqual(dataOf<Received>(await plane.call("get_bank_balance", given)), {
      tool: "get_bank_balance",
      given,
    });
  },
);
await promise("what does not fit is refused before the bank is asked", async () => {
  const before = calls();
  const { error } = await plane.call("get_bank_balance", { account_id: 7 });
  assert.equal(error?.code, "INVALID_ARGUMENTS");
  assert.equal(calls(), before);
});

chapter("In the agent");
const { answer, outcome, history } = await plane.agent.run("What is on account 7?", {
  style: "react",
});
await promise(
  "the prompt tells name, type and description of each argument, and which are needed",
  () => {
    assert.match(promptOf(0), /"account_id" \(string, required\): Bank account identifier/);
    assert.match(promptOf(0), /"date" \(string, optional\): Date for balance query/);
  },
);
await promise("a wrong argument is an observation, and the model does better", () =>
  assert.match(lastOf(1), /^Observation:.*Error: .*account_id must be string/s),
);
await promise("it answers with what the bank said", () => {
  assert.match(lastOf(2), /"account_id":"7"/);
  assert.deepEqual([answer, outcome], ["It is 42.", "completed"]);
});
await promise("the history is returned, for the next question", () =>
  assert.ok(history.length > 3),
);

chapter("Groups and states");
await promise(
  "tools of a group are there for requests that name it, and in their states",
  async () => {
    const names = async (query: object) =>
      (await plane.tools.page(query)).tools.map(({ name }) => name);
    const before = await names({});
    assert.ok(!before.includes("log_in") && !before.includes("transfer"), before.join());
    const finance = await names({ groups: ["finance"] });
    assert.ok(finance.includes("log_in") && !finance.includes("transfer"), finance.join());
    assert.ok((await names({ groups: ["finance"], state: "logged-in" })).includes("transfer"));
    assert.deepEqual(await names({ groups: [] }), []);
  },
);
await promise(
  "a tool that succeeds brings the agent into its state, and other tools with it",
  async () => {
    const run = await plane.agent.run("Move 5.", {
      style: "react",
      toolGroups: ["finance"],
      maxTurns: 3,
    });
    assert.ok(!promptOf(3).includes("transfer") && promptOf(4).includes("transfer"));
    assert.deepEqual([run.answer, run.state], ["Moved.", "logged-in"]);
  },
);
await promise(
  "the remote tool is not there beside its entry, so that no spelling gets around a group",
  async () => {
    const names = (await plane.tools.list()).map(({ name }) => name);
    assert.ok(!names.some((name) => name.includes("transfer_money")), names.join());
    const { error } = await plane.call("transfer.transfer_money", { amount: 5 });
    assert.ok(error, "it ran");
  },
);
await promise("a tool of type 'prompt' is a question to a model", async () =>
  assert.equal((await plane.tools.get("summarize")).providers[0]?.name, "model"),
);
await promise(
  "plan-then-execute plans first, works on each step with tools, and puts the answer together",
  async () => {
    const run = await plane.agent.run("How much in all?", { style: "plan-then-execute" });
    assert.match(lastOf(7), /Your part: look at account 7/);
    assert.match(lastOf(9), /There are 42\./);
    assert.deepEqual([run.answer, run.counters.totalToolCalls], ["42 in all.", 1]);
  },
);

chapter("On the command line");
const place = ["--config", file("tools.json"), "--data-dir", directory.path, "--standalone"];
const cli = (...words: string[]) => runCli([...words, ...place]);
await promise("tools show prints the arguments", async () => {
  const { stdout } = await cli("tools", "show", "get_bank_balance");
  assert.match(stdout, /account_id.*string.*required.*\n.*date.*string/);
});
await promise("tools show prints groups, the next state and the states of a tool", async () => {
  const { stdout } = await cli("tools", "show", "transfer");
  assert.match(stdout, /finance/);
  assert.match(stdout, /logged-in/);
});
await promise("a tool is set with arguments, shown, called and deleted", async () => {
  const date = "date:string:Date for balance query (optional, format: YYYY-MM-DD)";
  const takes = ["--argument", "account_id:string:Bank account identifier", "--argument", date];
  const set = await cli(
    "tools",
    "set",
    "balance",
    "--server",
    "free",
    "--tool",
    "get_bank_balance",
    ...takes,
  );
  assert.equal(set.code, 0, set.stderr);
  assert.match((await cli("tools", "show", "balance")).stdout, /format: YYYY-MM-DD/);
  const called = await cli(
    "call",
    "balance",
    "--args",
    '{"account_id":"7","date":"2026-11-16"}',
    "--yes",
    "--json",
  );
  assert.deepEqual(dataOf<Received>(called.json()).given, { account_id: "7", date: "2026-11-16" });
  assert.equal((await cli("tools", "delete", "balance")).code, 0);
  assert.notEqual((await cli("tools", "delete", "balance")).code, 0);
});
await promise("an argument set there is optional where its description says so", async () => {
  const date = "date:string:Date for balance query (optional, format: YYYY-MM-DD)";
  await cli(
    "tools",
    "set",
    "dated",
    "--server",
    "free",
    "--tool",
    "get_bank_balance",
    "--argument",
    date,
  );
  assert.equal((await cli("call", "dated", "--args", "{}", "--yes")).code, 0);
});
await promise("a second tool can be set on a remote tool that has an entry already", async () => {
  const { code, stderr } = await cli(
    "tools",
    "set",
    "again",
    "--server",
    "get_bank_balance",
    "--tool",
    "get_bank_balance",
  );
  assert.equal(code, 0, stderr);
});

chapter("In the workbench");
await promise("what its editor sends adds, changes and removes arguments", async () => {
  const edit = async (args: object[]) => {
    const origin = serving.url.replace(/\/mcp$/, "");
    const provider = {
      name: "mcp",
      config: { server: "get_bank_balance", tool: "get_bank_balance" },
    };
    const body = {
      name: "edited",
      description: "Edited by a person.",
      side_effects: "network",
      arguments: args,
      providers: [provider],
    };
    const headers = { "content-type": "application/json", ...serving.proof };
    const { ok, status } = await fetch(`${origin}/tools/edited`, {
      method: "PUT",
      headers,
      body: JSON.stringify(body),
    });
    assert.ok(ok, String(status));
    return Object.keys((await plane.tools.get("edited")).parameters.properties ?? {});
  };
  const argument = (name: string) => ({ name, type: "string", description: "A text" });
  assert.deepEqual(await edit([argument("a"), argument("b")]), ["a", "b"]);
  assert.deepEqual(await edit([argument("b")]), ["b"]);
});
