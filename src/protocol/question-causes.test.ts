import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnswerRequest } from "./message.ts";
import { createRequestOwners } from "./peer.ts";

function answerer() {
  const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
  const answer: AnswerRequest = () => promise;
  return { answer, resolve };
}

const signal = new AbortController().signal;

test("with one request that waits there is no doubt whose question it is", () => {
  const { answer } = answerer();
  const { onlyOwner } = createRequestOwners();
  assert.equal(onlyOwner([{ onRequest: answer, by: "ann" }, { by: "bob" }]), answer);
  assert.equal(onlyOwner([]), undefined);
});

test("a request that is asked already is not meant, as long as it has not answered", async () => {
  const first = answerer();
  const second = answerer();
  const { onlyOwner, asking } = createRequestOwners();
  const waiting = [first, second].map(({ answer }) => ({ onRequest: answer, by: "ann" }));
  assert.equal(onlyOwner(waiting), undefined);
  const asked = asking(first.answer)("elicitation/create", {}, signal);
  assert.equal(onlyOwner(waiting), second.answer);
  first.resolve({});
  await asked;
  assert.equal(onlyOwner(waiting), undefined);
});

test("between two people there is no guessing", () => {
  const first = answerer();
  const second = answerer();
  const { onlyOwner, asking } = createRequestOwners();
  void asking(first.answer)("elicitation/create", {}, signal);
  for (const by of ["bob", undefined])
    assert.equal(
      onlyOwner([
        { onRequest: first.answer, by: "ann" },
        { onRequest: second.answer, by },
      ]),
      undefined,
    );
});
