import assert from "node:assert/strict";
import { test } from "node:test";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { principalOf, trusted } from "../../model/principal.ts";
import { parseView, plainView, principalIn } from "./view.ts";

const plane = {
  servers: { sees: (server: string) => server !== "none" },
  toolsets: {
    select(alias: string) {
      if (alias !== "small") throw new PlaneError("NOT_FOUND", `No toolset '${alias}'.`);
      return { definition: { providers: ["one", "two"] }, has: () => true };
    },
  },
} as unknown as Plane;

test("an address without a question mark is the usual view", () => {
  assert.equal(parseView(""), plainView);
  assert.deepEqual(parseView("?names=bare&server=one"), {
    ...plainView,
    names: "bare",
    server: "one",
  });
});

test("what is not known in an address is refused with what is", () => {
  assert.throws(() => parseView("?nams=bare"), /'nams' is not known here. Known are names, mode/);
  assert.throws(() => parseView("?mode=some"), /'mode' must be full or lazy or code, not 'some'/);
});

test("a view narrows a caller and never widens them", () => {
  const limited = { ...principalOf({ user: "ann" }), servers: ["two", "three"] };
  const view = { ...plainView, toolset: "small" };
  assert.deepEqual(principalIn(view, limited, plane).servers, ["two"]);
  assert.deepEqual(principalIn({ ...view, server: "one" }, limited, plane).servers, []);
});

test("a view of what is not there is refused as a wrong word in the address", () => {
  const caller = principalOf({ user: "ann" });
  for (const wrong of [{ toolset: "none" }, { server: "none" }])
    assert.throws(() => principalIn({ ...plainView, ...wrong }, caller, plane), { code: "USAGE" });
});

test("only who could give themselves a persona may choose one", () => {
  const view = { ...plainView, persona: "Atlas" };
  assert.equal(principalIn(view, trusted({ user: "ann" }), plane).persona, "Atlas");
  assert.equal(principalIn(view, principalOf({ persona: "Atlas" }), plane).persona, "Atlas");
  assert.throws(() => principalIn(view, principalOf({ user: "bob" }), plane), {
    code: "FORBIDDEN",
  });
  assert.throws(() => principalIn(view, trusted({ persona: "Other" }), plane), {
    code: "FORBIDDEN",
  });
});
