import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { errorCodes, type JsonObject, RpcError } from "../../fixtures/servers/support/messages.ts";
import { until } from "../../fixtures/until.ts";
import { planeOf, textsOf, within } from "../support.ts";
import { listing, scriptedProcess, scriptedServer, toolNamed } from "./scripted-server.ts";

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

  for (const [what, key, levels] of [
    ["schema of 5,000 levels in a short list", "inputSchema", 5_000],
    ["schema of 20,000 levels in a long list", "inputSchema", 20_000],
    ["member of 20,000 levels beside its schema", "_meta", 20_000],
  ] as const)
    test(`a ${what} costs its tool only`, async () => {
      // Written as text: no stack is deep enough for it.
      const list = `methods["tools/list"] = (id) => {
        const [good, deep, other] = ["good", "deep", "other"].map((name) => '"name":"' + name + '"');
        const value = '{"a":'.repeat(${levels}) + '1' + '}'.repeat(${levels});
        write('{"jsonrpc":"2.0","id":' + id + ',"result":{"tools":[{' + good + '},{' + deep + ',"${key}":' + value + '},{' + other + '}]}}\\n');
      };`;
      await using plane = await planeOf({
        listing: scriptedProcess({ other: 'answer(id, text("other"))' }, {}, list),
      });
      const listed = await within("the list", plane.tools.list());
      assert.deepEqual(listed.map(({ id }) => id.tool).toSorted(), ["good", "other"]);
      const [server] = await plane.servers.list();
      assert.deepEqual(
        server?.rejected.map(({ tool }) => tool),
        ["deep"],
      );
      assert.match(server?.rejected[0]?.reason ?? "", /nested deeper than/);
      assert.deepEqual(textsOf(await plane.call("listing.other")), ["other"]);
    });

  test("a server that says with each listing that its list has changed is called flapping, and answered for", async () => {
    let listings = 0;
    const crying = scriptedServer({
      "tools/list": (_, notify) => {
        listings += 1;
        notify("notifications/tools/list_changed");
        return listing("ok");
      },
    });
    await using plane = await planeOf({ crying });
    const status = () => plane.servers.get("crying");
    // Clients that look all the time do not make it list more often.
    await until("flapping", async () => {
      await plane.tools.list();
      return (await status()).flapping !== undefined;
    });
    assert.deepEqual((await status()).flapping, ["tools"]);
    const before = listings;
    for (let count = 0; count < 200; count++)
      assert.deepEqual(textsOf(await plane.call("crying.ok")), ["ok"]);
    assert.ok(listings - before < 20, `${listings - before} listings for 200 calls`);
    const lines = await plane.servers.logs("crying");
    assert.equal(lines.filter(({ text }) => text.includes("are flapping")).length, 1);
  });
});
