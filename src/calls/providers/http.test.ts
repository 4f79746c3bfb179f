import assert from "node:assert/strict";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { createEgress } from "../../lib/net/egress.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { createHttpProvider } from "./http.ts";

type Route = (request: IncomingMessage, response: ServerResponse) => void;

const json: Route = (_, response) => {
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.end(JSON.stringify({ data: { items: [{ title: "first" }] } }));
};
const status =
  (code: number, headers: Record<string, string> = {}, body = ""): Route =>
  (_, response) =>
    void response.writeHead(code, headers).end(body);

const routes: Record<string, Route> = {
  "/json": json,
  "/text": status(200, { "content-type": "text/plain" }, "hello"),
  "/empty": status(204),
  "/lies": status(200, { "content-type": "application/json" }, "not json"),
  "/picture": status(200, { "content-type": "image/png" }, "png"),
  "/refused": status(404, { "content-type": "application/json" }, '{"error":"no such item"}'),
  "/busy": status(503, { "retry-after": "2" }, "later"),
  "/many": status(429, { "retry-after": "3" }, "slow down"),
  "/slow": status(408),
  "/moved": status(302, { location: "/json" }),
  "/circle": status(302, { location: "/circle" }),
  "/cut": (_, response) => void response.socket?.destroy(),
  "/half": (_, response) => {
    response.writeHead(200, { "content-length": "100" }).write("half");
    setImmediate(() => response.destroy());
  },
  "/huge": (_, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const chunk = Buffer.alloc(1024 * 1024, "x");
    const more = () => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  },
  "/silent": () => undefined,
  "/echo": (request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ authorization: request.headers.authorization, url: request.url }),
    );
  },
};

async function listen(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe("a tool behind an HTTP endpoint", () => {
  let here: Awaited<ReturnType<typeof listen>>;
  let elsewhere: Awaited<ReturnType<typeof listen>>;
  let strangers = 0;
  before(async () => {
    here = await listen((request, response) => {
      const path = new URL(request.url ?? "/", "http://h").pathname;
      if (path === "/away")
        return void response.writeHead(307, { location: `${elsewhere.url}/` }).end();
      (routes[path] ?? status(500))(request, response);
    });
    elsewhere = await listen((_, response) => {
      strangers += 1;
      response.end("stolen");
    });
  });
  after(() => {
    for (const { server } of [here, elsewhere]) {
      server.closeAllConnections();
      server.close();
    }
  });

  const call = (
    path: string,
    config: JsonObject = {},
    args: JsonObject = {},
    signal?: AbortSignal,
  ) => {
    const spec = { name: "http", priority: 0, health_check_interval: 300, config: {} };
    const reveal = async () => ({ url: `${here.url}${path}`, ...config });
    const context = { owner: { user: null, conversation: null }, onProgress() {} };
    return createHttpProvider(reveal, createEgress({ allow: () => [] }))(spec, args, {
      ...context,
      signal: signal ?? new AbortController().signal,
    });
  };
  const failure = async (path: string, config?: JsonObject): Promise<PlaneError> => {
    const thrown: unknown = await call(path, config).catch((error) => error);
    assert.ok(thrown instanceof PlaneError, String(thrown));
    return thrown;
  };

  const results: [path: string, config: JsonObject, result: unknown][] = [
    [
      "/json",
      { resultPath: "data.items[0]" },
      {
        content: [{ type: "text", text: '{"title":"first"}' }],
        structuredContent: { title: "first" },
      },
    ],
    [
      "/moved",
      { resultPath: "data.items[0].title" },
      { content: [{ type: "text", text: "first" }], structuredContent: "first" },
    ],
    ["/text", {}, { content: [{ type: "text", text: "hello" }] }],
    ["/empty", {}, { content: [] }],
    ["/lies", {}, { content: [{ type: "text", text: "not json" }] }],
    ["/picture", {}, { content: [{ type: "image", mimeType: "image/png", data: "cG5n" }] }],
  ];
  for (const [path, config, result] of results) {
    test(`${path} is an answer`, async () => assert.deepEqual(await call(path, config), result));
  }

  test("arguments are renamed and headers are sent", async () => {
    const config = { headers: { Authorization: "Bearer t" }, argumentMap: { q: "query" } };
    const { structuredContent } = (await call("/echo", config, { query: "x" })) as {
      structuredContent: unknown;
    };
    assert.deepEqual(structuredContent, { authorization: "Bearer t", url: "/echo?q=x" });
  });

  test("a refusal of the endpoint is the tool's own error", async () => {
    assert.deepEqual(await call("/refused"), {
      content: [{ type: "text", text: 'HTTP 404 Not Found: {"error":"no such item"}' }],
      structuredContent: { error: "no such item" },
      isError: true,
    });
  });

  const failures: [path: string, sent: boolean, message: RegExp][] = [
    ["/busy", true, /HTTP 503/],
    ["/many", true, /HTTP 429/],
    ["/slow", true, /HTTP 408/],
    ["/cut", true, /cut/],
    ["/half", true, /broke off/],
    ["/circle", true, /again and again/],
    ["/away", true, /redirects to http:\/\/127\.0\.0\.1:\d+; set 'url' to that/],
  ];
  for (const [path, sent, message] of failures) {
    test(`${path} is a failure of the provider`, async () => {
      const error = await failure(path);
      assert.deepEqual([error.code, error.data.sent], ["SERVER_UNAVAILABLE", sent]);
      assert.match(error.message, message);
    });
  }

  test("nothing of ours goes to another origin", async () => {
    await failure("/away", { method: "POST", headers: { Authorization: "Bearer t" } });
    assert.equal(strangers, 0);
  });

  test("an endpoint that asks for time is given it", async () => {
    assert.equal((await failure("/busy")).data.retryInMs, 2_000);
    assert.equal((await failure("/many")).data.retryInMs, 3_000);
    assert.equal((await failure("/slow")).data.retryInMs, undefined);
  });

  test("without a listener nothing was sent, and no path is shown", async () => {
    const { server, url } = await listen(() => undefined);
    server.close();
    await once(server, "close");
    const error = await failure("", { url: `${url}/secret-path?key=s3cret` });
    assert.deepEqual([error.code, error.data.sent], ["SERVER_UNAVAILABLE", false]);
    assert.match(error.message, /nothing listens/);
    assert.ok(!error.message.includes("secret"));
  });

  test("an answer without end is cut off", async () => {
    const error = await failure("/huge");
    assert.equal(error.code, "PROVIDER_FAILED");
    assert.match(error.message, /larger than 10 MiB/);
  });

  test("a caller that gives up does not wait", async () => {
    const controller = new AbortController();
    const waiting = call("/silent", {}, {}, controller.signal);
    controller.abort();
    await assert.rejects(waiting, { code: "SERVER_UNAVAILABLE" });
  });

  test("a secret that cannot be read sends nothing", async () => {
    const spec = { name: "http", priority: 0, health_check_interval: 300, config: {} };
    const reveal = async () => {
      throw new PlaneError("CONFIG_INVALID", "The secret cannot be read.");
    };
    const context = {
      signal: new AbortController().signal,
      owner: { user: null, conversation: null },
      onProgress() {},
    };
    await assert.rejects(
      createHttpProvider(reveal, createEgress({ allow: () => [] }))(spec, {}, context),
      (error: PlaneError) => {
        assert.deepEqual([error.code, error.data.sent], ["CONFIG_INVALID", false]);
        return true;
      },
    );
  });
});
