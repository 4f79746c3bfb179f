import assert from "node:assert/strict";
import { test } from "node:test";
import { resolvedCall } from "../../test/samples/calls.ts";
import { anonymous } from "../model/principal.ts";
import { authorize } from "./authorize.ts";

test("a granted call carries its grant", () => {
  const call = resolvedCall();
  assert.deepEqual(
    authorize(call, (principal, tool) => ({ by: `${principal.user} on ${tool.name}` })),
    { ...call, grant: { by: "ada on notes.write" } },
  );
});

test("a caller who may call only what they were shown learns where to look, once they may use it at all", () => {
  const guessed = { ...resolvedCall(), options: { unseen: true } };
  assert.throws(() => authorize(guessed, () => ({ by: "everyone" })), {
    code: "FORBIDDEN",
    message:
      /^'notes\.write' was not shown in this session.* Find it with mcp_tool_search or mcp_tool_list first\.$/,
  });
  assert.throws(() => authorize(guessed, () => ({ refused: "it is for finance", why: "groups" })), {
    message: /it is for finance/,
  });
});

for (const [who, principal] of [
  ["ada", resolvedCall().principal],
  ["An anonymous caller", anonymous],
] as const) {
  test(`${who} is refused by name, with the tool and the reason`, () => {
    assert.throws(
      () =>
        authorize({ ...resolvedCall(), principal }, () => ({
          refused: "it is for finance",
          why: "groups",
        })),
      {
        code: "FORBIDDEN",
        message: new RegExp(`^${who} .*'notes\\.write': it is for finance\\.$`),
        data: { tool: "notes.write" },
      },
    );
  });
}
