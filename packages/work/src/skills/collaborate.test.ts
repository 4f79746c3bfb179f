import assert from "node:assert/strict";
import { test } from "node:test";
import { SkillManifest } from "@toolplane/core/model/work/skill";
import { type AskedModel, collaborate } from "./collaborate.ts";

const participant = (id: string, more: object = {}) => ({ id, model: id, ...more });

/** What comes of it where each model answers by script; a model that is not there throws. */
async function run(collaboration: object, answers: Record<string, string>) {
  const skill = SkillManifest.parse({
    name: "judge",
    version: "1",
    instruction_prompt: "Judge.",
    required_tools: [],
    safety_notes: "",
    required_capabilities: [],
    collaboration: { enabled: true, ...collaboration },
  });
  const asked: string[] = [];
  const followed: AskedModel[] = [];
  const parts = {
    async askAgent(...[, , , by = {}]: [unknown, unknown, unknown, AskedModel?]) {
      followed.push(by);
      return { record: "r", answer: "first" };
    },
    async ask({ model = "usual" }: AskedModel, question: string) {
      asked.push(question);
      return answers[model] ?? assert.fail(`${model} is unreachable`);
    },
  };
  const whole = {
    ...skill,
    collaboration: skill.collaboration as NonNullable<typeof skill.collaboration>,
  };
  const ended = await collaborate(
    whole,
    { city: "Rome" },
    parts,
    new AbortController().signal,
  ).catch((thrown) => thrown);
  return { ended, asked, followed };
}

test("an answer stands when so much of the weight says yes", async () => {
  const participants = [participant("a", { weight: 3 }), participant("b"), participant("away")];
  const answers = { a: "Yes, it does.", b: "NO: too short" };
  assert.equal((await run({ participants, quorum: 0.6 }, answers)).ended.answer, "first");
  const { ended } = await run({ participants, quorum: 0.7 }, answers);
  assert.equal(ended.code, "TOOL_ERROR");
  assert.match(
    ended.message,
    /'judge' did not agree, 60 % of them did \(a: Yes.*b: NO: too short; away: no answer\)/,
  );
});

test("remarks of the others are put into the answer, and no remark leaves it as it is", async () => {
  const participants = [participant("a"), participant("b")];
  const protocol = "critique";
  const better = await run(
    { protocol, participants },
    { a: "It is too short.", b: "Nothing.", usual: "longer" },
  );
  assert.equal(better.ended.answer, "longer");
  assert.match(
    better.asked.at(-1) ?? "",
    /Judge\.[\s\S]*Rome[\s\S]*first[\s\S]*too short[\s\S]*again/,
  );
  assert.doesNotMatch(better.asked.at(-1) ?? "", /remark:[\s\S]*Nothing/);
  assert.equal(
    (await run({ protocol, participants }, { a: "Nothing", b: "NOTHING." })).ended.answer,
    "first",
  );
});

test("of those who offer to do it the best does, with what it gets beside the instructions", async () => {
  const participants = [
    participant("a"),
    participant("b", { weight: 2, system_prompt: "Be brief." }),
  ];
  const { followed } = await run(
    { protocol: "contract_net", participants },
    { a: "60", b: "about 40" },
  );
  assert.deepEqual(followed, [{ model: "b", system: "Be brief." }]);
  const { ended } = await run(
    { protocol: "contract_net", participants },
    { a: "I would rather not" },
  );
  assert.equal(ended.code, "TOOL_ERROR");
});
