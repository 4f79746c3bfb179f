import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { startScriptedModel } from "../fixtures/llm-script.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { sentTo, toldOf } from "./agent-world.ts";
import { fixture } from "./support.ts";
import { skill, workConfig } from "./work-world.ts";

test("an answer that the participants of a skill do not agree to is none", async () => {
  await using directory = await temporaryDirectory();
  const model = await startScriptedModel({
    responses: [
      { kind: "text", text: "Rome is in Spain." },
      { kind: "text", text: "NO, it is in Italy." },
      { kind: "text", text: "Rome is in Italy." },
      { kind: "text", text: "YES." },
    ],
  });
  const models = Object.fromEntries(
    ["default", "checker"].map((name) => [name, { baseURL: model.url, model: name }]),
  );
  const participants = [{ id: "checker", model: "checker", system_prompt: "You check facts." }];
  const where = skill("where", {
    required_tools: ["echo.echo"],
    collaboration: { enabled: true, participants },
  });
  const config = await workConfig(
    directory,
    { echo: fixture("echo") },
    { skills: [where] },
    { models },
  );
  try {
    await using plane = await createPlane({ config, dataDirectory: directory.file("data") });
    const refused = await plane.skills.run("where", { city: "Rome" });
    assert.deepEqual([refused.outcome, refused.error?.code], ["failed", "TOOL_ERROR"]);
    assert.match(refused.error?.message ?? "", /checker: NO, it is in Italy/);
    const agreed = await plane.skills.run("where", { city: "Rome" });
    assert.deepEqual([agreed.outcome, agreed.result], ["completed", "Rome is in Italy."]);
    // A model that judges an answer has no tools, and gets the answer.
    assert.deepEqual([toldOf(model, 0).length > 0, toldOf(model, 1)], [true, []]);
    const asked = JSON.stringify(sentTo(model, 1).messages);
    assert.match(asked, /You check facts\./);
    assert.match(asked, /Rome is in Spain\./);
  } finally {
    await model.close();
  }
});
