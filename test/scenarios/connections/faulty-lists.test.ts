import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { errorCodes, type JsonObject, RpcError } from "../../fixtures/servers/support/messages.ts";
import { planeOf, textsOf, within } from "../support.ts";
import { listing, scriptedServer, toolNamed } from "./scripted-server.ts";

suite("faulty lists", () => {
  test("an empty cursor is followed, and a cursor that the server has forgotten begins a new walk", async () => {
    const cursors: unknown[] = [];
    let isForgotten = true;
    const paged = scriptedServer({
      "tools/list": ({ cursor }: JsonObject) => {
        cursors.push(cursor);
        if (cursor === undefined) return { ...listing("first"), nextCursor: "" };
        if (cursor === "") return { ...listing("second"), nextCursor: "more" };
        if (isForgotten) {
          isForgotten = false;
          throw new RpcError(errorCodes.invalidParams, "Invalid cursor");
        }
        return { tools: [toolNamed("third")] };
      },
    });
    await using plane = await planeOf({ paged });
    const tools = await within("the list", plane.tools.list());
    assert.deepEqual(tools.map(({ id }) => id.tool).toSorted(), ["first", "second", "third"]);
    assert.deepEqual(cursors, [undefined, "", "more", undefined, "", "more"]);
    assert.deepEqual(textsOf(await plane.call("paged.third")), ["third"]);
  });
});
