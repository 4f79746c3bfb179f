import assert from "node:assert/strict";
import { test } from "node:test";
import { resolvedCall } from "../../test/samples/calls.ts";
import { nobody } from "../model/principal.ts";
import { authorize } from "./authorize.ts";

test("a granted call carries its grant", () => {
  const call = resolvedCall();
  assert.deepEqual(
    authorize(call, (principal, tool) => ({ by: `${principal.user} on ${tool.name}` })),
    { ...call, grant: { by: "ada on notes.write" } },
  );
});

for (const [who, principal] of [
  ["ada", resolvedCall().principal],
  ["An anonymous caller", nobody],
] as const) {
  test(`${who} is refused by name, with the tool and the reason`, () => {
    assert.throws(
      () =>
        authorize({ ...resolvedCall(), principal }, () => ({ refused: "it is for finance", why: "groups" })),
      {
        code: "FORBIDDEN",
        message: new RegExp(`^${who} .*'notes\\.write': it is for finance\\.$`),
        data: { tool: "notes.write" },
      },
    );
  });
}
