import assert from "node:assert/strict";
import { test } from "node:test";
import {
  messageForModel,
  PlaneError,
  personHints,
  quarantineHints,
  reportError,
  withoutHints,
} from "./errors.ts";

test("commands for a person are left out, and the model gets an alternative", () => {
  const lost = `Server 'a' is not available: it ended. ${personHints.serverLogs("a")}`;
  assert.equal(
    messageForModel({
      message: lost,
      data: { personHints: [personHints.doctor, personHints.serverLogs("a")] },
    }),
    "Server 'a' is not available: it ended. A person has to look into it.",
  );
  const message = "No tool 'x'. 'toolplane tools list' shows what there is.";
  assert.equal(
    messageForModel(
      { message, data: { personHints: ["'toolplane tools list' shows what there is."] } },
      "Search.",
    ),
    "No tool 'x'. Search.",
  );
});

test("the advice about a quarantined tool goes with its clause, whichever it is", () => {
  for (const hint of quarantineHints("a.b"))
    assert.equal(
      messageForModel({
        message: `'a.b' is quarantined: it changed; ${hint}.`,
        data: { personHints: quarantineHints("a.b") },
      }),
      "'a.b' is quarantined: it changed. A person has to look into it.",
    );
});

test("a message without hints stays as it is, whatever it says", () => {
  const message = "No tool 'x'. The server said: run 'toolplane doctor'.  It is  spelt so.";
  assert.equal(messageForModel({ message, data: {} }), message);
});

test("the JSON of an error says a hint once: in the message, or as a field where the message does not have it", () => {
  const error = new PlaneError("TOOL_NOT_FOUND", "No tool 'x'. List them.", {
    data: { nearest: [], hint: "List them.", personHints: ["List them."] },
  });
  assert.deepEqual(withoutHints(reportError(error)).data, { nearest: [] });
  const other = new PlaneError("TOOL_NOT_FOUND", "No tool 'x'.", { data: { hint: "List them." } });
  assert.deepEqual(withoutHints(reportError(other)).data, { hint: "List them." });
});
