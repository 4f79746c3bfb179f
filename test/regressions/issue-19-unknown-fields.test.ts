import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createApp } from "../../src/faces/http/app.ts";
import { createLocalPass } from "../../src/faces/http/local-pass.ts";
import type { App } from "../../src/faces/http/route.ts";
import type { Plane } from "../../src/index.ts";
import { isMissing } from "../../src/operations/operation.ts";
import { operations } from "../../src/operations/operations.ts";
import { planeOf } from "../scenarios/support.ts";

type Problem = { status: number; code: string; detail: string };

suite("a body with a field that the route does not know", () => {
  let plane: Plane;
  let app: App;
  const pass = createLocalPass();
  before(async () => {
    plane = await planeOf({});
    app = createApp(plane, { host: "127.0.0.1", pass, closing: new AbortController().signal });
  });
  after(() => plane.stop());

  const send = async (method: string, path: string, body: object): Promise<Problem> => {
    const request = {
      method: method.toUpperCase(),
      headers: { host: "127.0.0.1", authorization: `Bearer ${pass.word}` },
      body: JSON.stringify(body),
    };
    return (await (await app.request(`http://127.0.0.1${path}`, request)).json()) as Problem;
  };

  for (const { name, http, needsSetup } of operations) {
    // A whole entry is judged by its own parser.
    if (isMissing(http) || http.method === "get" || needsSetup || http.body?.whole !== undefined) continue;
    const path = http.path.replace(/\{\w+\}/g, "x");
    test(`is refused by ${http.method.toUpperCase()} ${http.path} (${name})`, async () => {
      const { status, code, detail } = await send(http.method, path, { arguments: {}, nonsense: 1 });
      assert.deepEqual([status, code], [400, "USAGE"]);
      assert.match(detail, /unknown field '(nonsense|arguments)'\. (Did you mean|Known fields|This route takes)/);
    });
  }

  test("is refused with the nearest known one", async () => {
    const { detail } = await send("post", "/tools/x/call", { arguments: {}, timeoutMS: 1 });
    assert.match(detail, /unknown field 'timeoutMS'\. Did you mean 'timeoutMs'\?/);
  });

  test("is refused with the place of the input where that is the query", async () => {
    const { detail } = await send("delete", "/tools/x", { persona: "p" });
    assert.match(detail, /'persona'\. This route takes no fields there\. Put persona, reason into the query\./);
  });
});
