import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createApp } from "../../src/faces/http/app.ts";
import { createLocalPass } from "../../src/faces/http/callers/local-pass.ts";
import type { App } from "../../src/faces/http/route.ts";
import type { Plane } from "../../src/index.ts";
import { isMissing } from "../../src/operations/operation.ts";
import { operations } from "../../src/operations/operations.ts";
import { planeOf } from "./support.ts";

type Problem = { status: number; code: string; detail: string };

suite("the body of a call over HTTP", () => {
  let plane: Plane;
  let app: App;
  const pass = createLocalPass();
  before(async () => {
    plane = await planeOf({});
    app = createApp(plane, { host: "127.0.0.1", closing: new AbortController().signal, pass });
  });
  after(() => plane.stop());

  const post = async (path: string, body: unknown): Promise<Problem> => {
    const request = {
      method: "POST",
      headers: { host: "127.0.0.1", "x-api-key": pass.word },
      body: JSON.stringify(body),
    };
    return (await (await app.request(`http://127.0.0.1${path}`, request)).json()) as Problem;
  };
  const refusals: [title: string, body: object, says: RegExp][] = [
    [
      "arguments without 'arguments' are shown where they belong",
      { a: 1, text: "hello" },
      /^The body has no 'arguments'\. Send \{"arguments": \{"a": 1, "text": …\}\}\.$/,
    ],
    [
      "an option without 'arguments' that is nearly known is named too",
      { timeout: 5 },
      /^The body has no 'arguments'\. Send .*If you meant 'timeoutMs', write that/,
    ],
    [
      "another word for the arguments is named",
      { args: { a: 1 } },
      /'args'\. Did you mean 'arguments'\?/,
    ],
    [
      "an unknown field beside the arguments is refused with the fields that are known",
      { arguments: {}, nonsense: 1 },
      /^The body has an unknown field 'nonsense'\. Known fields: arguments, timeoutMs, /,
    ],
    [
      "a misspelt field is refused with the nearest known one",
      { arguments: {}, idempotencykey: "x" },
      /unknown field 'idempotencykey'\. Did you mean 'idempotencyKey'\?/,
    ],
  ];
  for (const [title, body, says] of refusals) {
    test(title, async () => {
      const { status, code, detail } = await post("/tools/x/call", body);
      assert.deepEqual([status, code], [400, "USAGE"]);
      assert.match(detail, says);
    });
  }

  test("a body with known fields alone, or none at all, reaches the tool", async () => {
    for (const body of [{}, { dryRun: true }, { arguments: { a: 1 }, timeoutMs: 5 }])
      assert.equal((await post("/tools/x/call", body)).code, "TOOL_NOT_FOUND");
  });

  test("other bodies refuse unknown fields in the same words", async () => {
    const { status, detail } = await post("/questions/q", { acton: "accept" });
    assert.equal(status, 400);
    assert.match(detail, /unknown field 'acton'\. Did you mean 'action'\?/);
  });
});

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
    if (isMissing(http) || http.method === "get" || needsSetup || http.body?.whole !== undefined)
      continue;
    const path = http.path.replace(/\{\w+\}/g, "x");
    test(`is refused by ${http.method.toUpperCase()} ${http.path} (${name})`, async () => {
      const { status, code, detail } = await send(http.method, path, {
        arguments: {},
        nonsense: 1,
      });
      assert.deepEqual([status, code], [400, "USAGE"]);
      assert.match(
        detail,
        /unknown field '(nonsense|arguments)'\. (Did you mean|Known fields|This route takes)/,
      );
    });
  }

  test("is refused with the nearest known one", async () => {
    const { detail } = await send("post", "/tools/x/call", { arguments: {}, timeoutMS: 1 });
    assert.match(detail, /unknown field 'timeoutMS'\. Did you mean 'timeoutMs'\?/);
  });

  test("is refused with the place of the input where that is the query", async () => {
    const { detail } = await send("delete", "/tools/x", { persona: "p" });
    assert.match(
      detail,
      /'persona'\. This route takes no fields there\. Put persona, reason into the query\./,
    );
  });
});
