import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { PlaneError } from "@toolplane/core/model/errors";
import type { PlaneEvent } from "@toolplane/core/model/events";
import { principalOf, trusted } from "@toolplane/core/model/principal";
import { createRecorder } from "@toolplane/core/store";
import { agentRun } from "@toolplane/test/contracts/records";
import { bindCaller } from "@toolplane/test/samples/core";
import { createRunStore } from "./runs.ts";

test("a run that cannot be kept is reported all the same, and no answer is lost", async () => {
  const told: PlaneEvent[] = [];
  const full = () => Promise.reject(new PlaneError("STORE_FAILED", "The disk is full."));
  const { keep } = createRunStore({
    recorder: {
      store: full,
      storeOf: full,
      recordRun: full,
      emit: (event) => void told.push(event),
    },
  });
  const warned = once(process, "warning");
  await keep(agentRun("one"));
  const [warning] = (await warned) as [Error];
  assert.match(warning.message, /The run 'one' of an agent could not be kept: The disk is full\./);
  assert.deepEqual(
    told.map(({ type }) => type),
    ["agent.run"],
  );
});

test("what is asked for in a way that makes no sense is refused by name", async () => {
  const recorder = createRecorder(undefined);
  const { verbs: inside, keep } = createRunStore({ recorder });
  const { runs: verbs } = bindCaller({ runs: inside }, { principal: trusted() });
  try {
    await keep(agentRun("one"));
    await assert.rejects(
      verbs.render("one", "pdf" as never),
      /cannot be rendered as 'pdf': use text/,
    );
    await assert.rejects(verbs.page({ limit: 1.5 }), /'limit' cannot be '1\.5'/);
    await assert.rejects(verbs.page({ since: "x".repeat(500) }), /'since' cannot be 'x{60}'/);
    const nothing = principalOf({ user: "ada", scopes: [] });
    await assert.rejects(verbs.page({}, { principal: nothing }), { code: "FORBIDDEN" });
    assert.equal((await verbs.page({ since: "2026-03-01" })).runs.length, 1);
  } finally {
    await recorder.close();
  }
});
