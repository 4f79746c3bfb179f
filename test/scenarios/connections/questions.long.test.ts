import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Outcome, Plane } from "../../../src/index.ts";
import type { QuestionAnswer } from "../../../src/model/calls/provider.ts";
import type { Question } from "../../../src/model/calls/question-schema.ts";
import { hangMs, scaledMs } from "../../fixtures/patience.ts";
import {
  fixtureEnvironment,
  readLog,
  receivedMessages,
  startHttpFixture,
  temporaryDirectory,
} from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { getJson, postCall } from "../requests.ts";
import {
  errorOf,
  processFixture as fixture,
  planeOf,
  startServe,
  textsOf,
  within,
  writeConfig,
} from "../support.ts";
import { asked, countIn, listenTo, odd, person, post, startOdd, structuredOf } from "./parts.ts";

const answering = { answersQuestions: true };

/** Calls a tool, answers its one question, and returns what the server got. */
async function askAndAnswer(plane: Plane, tool: string, answer: QuestionAnswer): Promise<unknown> {
  const calling = plane.call(tool, {});
  const [question] = await asked(plane, 1);
  await plane.questions.answer(question?.id ?? "", answer);
  return structuredOf(await calling).result;
}

suite("what servers ask people in the middle of calls", { concurrency: 4 }, () => {
  test("a question is reported, shown with its fields, and answered by its caller", async () => {
    await using plane = await planeOf({ elicit: fixture("elicit") }, answering);
    const events = listenTo(plane, "question.asked", "question.answered");
    const calling = plane.call("elicit.ask_person", { message: "Who are you?" });
    const [question] = await asked(plane, 1);
    assert.ok(question);
    assert.deepEqual(
      [question.server, question.tool, question.message],
      ["elicit", "elicit.ask_person", "Who are you?"],
    );
    assert.equal(Date.parse(question.expiresAt) - Date.parse(question.askedAt), 300_000);
    assert.ok(question.schema && "properties" in question.schema);
    await plane.questions.answer(question.id, {
      action: "accept",
      content: { name: "Ada", age: 36 },
    });
    const told = structuredOf(await calling).result as {
      action: string;
      content: Record<string, unknown>;
    };
    assert.equal(told.action, "accept");
    assert.deepEqual([told.content.name, told.content.age], ["Ada", 36]);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["question.asked", "question.answered"],
    );
    assert.deepEqual(await plane.questions.list(), []);
    const again = plane.questions.answer(question.id, { action: "accept", content: {} });
    await assert.rejects(again, { code: "NOT_FOUND" });
  });

  for (const action of ["decline", "cancel"] as const) {
    test(`a ${action} is passed on as it is`, async () => {
      await using plane = await planeOf({ elicit: fixture("elicit") }, answering);
      assert.deepEqual(await askAndAnswer(plane, "elicit.confirm", { action }), { action });
    });
  }

  test("an approval without fields answers {}, whatever the form sends along", async () => {
    await using plane = await planeOf({ elicit: fixture("elicit") }, answering);
    const bare = await askAndAnswer(plane, "elicit.ask_approval", { action: "accept" });
    assert.deepEqual(bare, { action: "accept", content: {} });
    const filled = await askAndAnswer(plane, "elicit.ask_approval", {
      action: "accept",
      content: { placeholder: "x" },
    });
    assert.deepEqual(filled, { action: "accept", content: {} });
  });

  test("a lone value becomes the only field", async () => {
    await using plane = await planeOf({ elicit: fixture("elicit") }, answering);
    const told = await askAndAnswer(plane, "elicit.ask_value", {
      action: "accept",
      content: "blue",
    });
    assert.deepEqual(told, { action: "accept", content: { value: "blue" } });
  });

  test("an answer that does not fit is refused with the reason, and the question stays", async () => {
    await using plane = await planeOf({ elicit: fixture("elicit") }, answering);
    const calling = plane.call("elicit.ask_person");
    const [question] = await asked(plane, 1);
    const id = question?.id ?? "";
    for (const content of [
      { name: "", age: 1 },
      { name: "Ada" },
      { name: "Ada", age: 151 },
      "Ada",
      [1],
    ]) {
      const given = plane.questions.answer(id, { action: "accept", content });
      await assert.rejects(
        given,
        { code: "INVALID_ARGUMENTS", message: /is invalid/ },
        JSON.stringify(content),
      );
    }
    assert.equal((await plane.questions.list()).length, 1);
    await plane.questions.answer(id, { action: "accept", content: { name: "Ada", age: 36 } });
    assert.equal((await calling).ok, true);
  });

  test("only who made the call sees and answers its question", async () => {
    await using plane = await planeOf({ elicit: fixture("elicit") }, answering);
    const ann = person("ann");
    const bob = person("bob");
    const calling = plane.call("elicit.confirm", {}, { principal: ann });
    const [question] = await asked(plane, 1, ann);
    assert.equal(question?.user, "ann");
    assert.deepEqual(
      [await plane.questions.list({ principal: bob }), await plane.questions.list()],
      [[], []],
    );
    const yes: QuestionAnswer = { action: "accept", content: { confirmed: true } };
    await assert.rejects(plane.questions.answer(question?.id ?? "", yes, { principal: bob }), {
      code: "FORBIDDEN",
    });
    await assert.rejects(plane.questions.answer(question?.id ?? "", yes), { code: "FORBIDDEN" });
    await plane.questions.answer(question?.id ?? "", yes, { principal: ann });
    assert.deepEqual(structuredOf(await calling).result, {
      action: "accept",
      content: { confirmed: true },
    });
  });

  test("a question that sends to a page shows its address and is answered without content", async () => {
    await using plane = await planeOf({ elicit: fixture("elicit") }, answering);
    const calling = plane.call("elicit.ask_url");
    const [question] = await asked(plane, 1);
    assert.deepEqual([question?.url, question?.schema], ["https://example.com/consent", null]);
    await plane.questions.answer(question?.id ?? "", {
      action: "accept",
      content: { secret: "x" },
    });
    assert.deepEqual(structuredOf(await calling).result, { action: "accept" });
  });

  test("a question that sends anywhere but to a page of the web is refused at the server, and no one is asked", async () => {
    await using plane = await planeOf({ elicit: fixture("elicit") }, answering);
    const events = listenTo(plane, "question.asked");
    for (const url of [
      "javascript:alert(1)",
      "JavaScript:alert(1)",
      "file:///etc/passwd",
      "data:text/html,x",
      "no address",
    ]) {
      const { error } = structuredOf(await plane.call("elicit.ask_url", { url })) as {
        error?: { code: number };
      };
      assert.equal(error?.code, -32602, url);
    }
    assert.deepEqual(events, []);
  });

  test("where no one answers, servers do not learn otherwise", async () => {
    await using plane = await planeOf({ elicit: fixture("elicit"), rpc: fixture("rpc") });
    const outcome = await plane.call("elicit.confirm");
    assert.match(JSON.stringify(outcome.result), /cannot elicit/);
    const anyway = structuredOf(await plane.call("rpc.ask_elicitation", { message: "?" }));
    assert.deepEqual(anyway.result, { action: "cancel" });
  });

  test("a question is shown and answered over HTTP", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { elicit: fixture("elicit") });
    await using serving = await startServe(config, directory.file("data"));
    const calling = postCall(serving.url, "elicit.confirm", { arguments: {} });
    let question: Question | undefined;
    await until("a question", async () => {
      [question] = (await getJson(`${serving.url}/questions`)).body.questions as Question[];
      return question !== undefined;
    });
    const answer = { action: "accept", content: { confirmed: true } };
    assert.deepEqual(await post(serving, `/questions/${question?.id}`, answer), { ok: true });
    assert.match(JSON.stringify((await calling).body), /"action":"accept"/);
  });

  test("the time a person takes is not the time the tool has", async () => {
    await using plane = await planeOf({ elicit: fixture("elicit") }, answering);
    await plane.tools.list();
    const timeoutMs = scaledMs(1_000);
    const calling = plane.call("elicit.confirm", {}, { timeoutMs });
    const [question] = await asked(plane, 1);
    await delay(1.5 * timeoutMs);
    await plane.questions.answer(question?.id ?? "", {
      action: "accept",
      content: { confirmed: false },
    });
    assert.equal((await calling).ok, true);
  });

  test("a question dies with its call: aborted, lost or stopped", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const plane = await planeOf({ elicit: fixture("elicit", ["--log", log]) }, answering);
    const controller = new AbortController();
    const aborted = plane.call("elicit.confirm", {}, { signal: controller.signal });
    await asked(plane, 1);
    controller.abort();
    assert.equal(errorOf(await within("the aborted call", aborted)).code, "CANCELLED");
    assert.deepEqual(await plane.questions.list(), []);
    const lost = plane.call("elicit.confirm");
    await asked(plane, 1);
    process.kill((await plane.servers.get("elicit")).pid ?? 0, "SIGKILL");
    assert.equal((await within("the lost call", lost)).ok, false);
    assert.deepEqual(await plane.questions.list(), []);
    const stopped = plane.call("elicit.confirm");
    await asked(plane, 1);
    await within("stopping", plane.stop());
    assert.equal((await stopped).ok, false);
  });

  test("over stdio, a question that could belong to two calls is cancelled", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ odd: odd(["--log", log]) }, answering);
    await plane.tools.list();
    const busy = plane.call("odd.slow", { ms: 1_500 }, { principal: person("ann") });
    await until("the other call", () => countIn(log, "tools/call") === 1);
    const outcome = await plane.call(
      "odd.confirm",
      { message: "whose?" },
      { principal: person("bob") },
    );
    assert.deepEqual(structuredOf(outcome).result, { action: "cancel" });
    assert.equal((await busy).ok, true);
  });

  test("over HTTP, two questions at once belong each to its own call", async () => {
    await using server = await startOdd();
    await using plane = await planeOf({ odd: { url: server.url } }, answering);
    await plane.tools.list();
    const users = ["ann", "bob"];
    const calls = users.map((user) =>
      plane.call("odd.confirm", { message: `for ${user}` }, { principal: person(user) }),
    );
    for (const user of users) {
      const [question] = await asked(plane, 1, person(user));
      assert.equal(question?.message, `for ${user}`);
      const content = { confirmed: user === "ann" };
      await plane.questions.answer(
        question?.id ?? "",
        { action: "accept", content },
        { principal: person(user) },
      );
    }
    const told = (await Promise.all(calls)).map((outcome) => structuredOf(outcome).result);
    assert.deepEqual(told, [
      { action: "accept", content: { confirmed: true } },
      { action: "accept", content: { confirmed: false } },
    ]);
  });

  test("over stdio, a question that carries the call's _meta belongs to that call", async () => {
    await using plane = await planeOf({ elicit: fixture("elicit") }, answering);
    await plane.tools.list();
    const users = ["ann", "bob"];
    const calls = users.map((user) =>
      plane.call(
        "elicit.confirm",
        { message: `for ${user}`, with_meta: true },
        { principal: person(user) },
      ),
    );
    const all = Promise.all(calls);
    for (const user of users) {
      const [question] = await Promise.race([asked(plane, 1, person(user)), all.then(() => [])]);
      assert.equal(question?.message, `for ${user}`);
      const content = { confirmed: user === "ann" };
      await plane.questions.answer(
        question?.id ?? "",
        { action: "accept", content },
        { principal: person(user) },
      );
    }
    const told = (await all).map(
      (outcome) => (structuredOf(outcome).result as { content: object }).content,
    );
    assert.deepEqual(told, [{ confirmed: true }, { confirmed: false }]);
  });

  test("a modern server's question is answered with the second request of the same call", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("modern", ["--http", "--only", "--log", log]);
    await using plane = await planeOf({ modern: { url: server.url } }, answering);
    const calls = ["a", "b", "c"].map((what) => plane.call("modern.confirm", { what }));
    const questions = await asked(plane, 3);
    for (const { id, message } of questions) {
      await plane.questions.answer(id, {
        action: "accept",
        content: { confirmed: !message.includes("b") },
      });
    }
    assert.deepEqual((await Promise.all(calls)).flatMap(textsOf), ["did a", "left b", "did c"]);
    assert.equal(receivedMessages(readLog(log), "tools/call").length, 6);
  });

  test("a question that comes when nothing is called is declined and harms no one", async () => {
    await using plane = await planeOf(
      { elicit: fixture("elicit"), rpc: fixture("rpc") },
      answering,
    );
    const outcomes: Outcome[] = await Promise.all(
      Array.from({ length: 5 }, () => plane.call("rpc.ask_elicitation", { message: "?" })),
    );
    for (const outcome of outcomes)
      assert.deepEqual(structuredOf(outcome).result, { action: "cancel" });
    assert.deepEqual(await plane.questions.list(), []);
  });

  const terminal = "/usr/bin/script";
  test("a question is put to the person at the terminal", {
    skip: !existsSync(terminal),
  }, async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { elicit: fixture("elicit") });
    const bin = fileURLToPath(new URL("../../../src/bin.ts", import.meta.url));
    const words = [
      "call",
      "elicit.confirm",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ];
    const command = `stty cols 120 rows 40; ${[process.execPath, bin, ...words].join(" ")}`;
    const child = spawn(terminal, ["-qec", command, "/dev/null"], {
      env: fixtureEnvironment(),
      timeout: hangMs,
      killSignal: "SIGKILL",
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      const isFirst = !output.includes("confirmed");
      output += chunk.toString();
      if (isFirst && output.includes("confirmed")) setTimeout(() => child.stdin.write("y"), 300);
    });
    const [code] = (await once(child, "close")) as [number | null];
    assert.equal(code, 0, output);
    assert.match(output, /elicit.*asks.*Asks for a yes or no/);
    assert.match(output, /"?action"?: ?"?accept/);
    assert.match(output, /"?confirmed"?: ?true/);
  });
});
