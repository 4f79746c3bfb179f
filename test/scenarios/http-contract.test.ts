import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";
import { createApp } from "../../src/faces/http/app.ts";
import { openLocalSetup } from "../../src/local-setup.ts";
import { type Operation as Declared, isMissing } from "../../src/operations/operation.ts";
import { operations } from "../../src/operations/operations.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, planeOf, type RunningServe, runCli, startServe, writeConfig } from "./support.ts";

type Media = { schema?: Record<string, unknown> };
type Operation = { responses: Record<string, { content?: Record<string, Media> }> };
type Document = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, unknown>;
};

/** One way to ask each route; `/parts` are filled in. Those with several answers are asked several times. */
type Case = [request: string, status: number, body?: unknown, path?: string];

const manifest = {
  description: "Says it again",
  side_effects: "none",
  providers: [{ name: "mcp", config: { server: "echo", tool: "echo" } }],
};

const greeter = `export default { name: "greeter", setup({ addOperation, addPanel }) {
  addPanel({ title: "Greetings", facts: () => [{ label: "said", value: 3 }] });
  addOperation({ name: "greetings.word", summary: "The word", scope: "read", run: () => ({ word: "Hello" }) });
} };`;

const cases: Case[] = [
  ["GET /healthz", 200],
  ["GET /healthz", 200, undefined, "/healthz?ready=true"],
  ["GET /healthz", 400, undefined, "/healthz?ready=perhaps"],
  ["GET /readyz", 200],
  ["GET /metrics", 200],
  ["GET /openapi.json", 200],
  ["GET /docs", 200],
  ["GET /tools", 200],
  ["GET /tools", 400, undefined, "/tools?limit=many"],
  ["POST /tools/{name}/call", 200, { arguments: { message: "hello" } }, "/tools/echo.echo/call"],
  ["POST /tools/{name}/call", 200, { arguments: { reason: "no" } }, "/tools/echo.fail/call"],
  ["POST /tools/{name}/call", 502, {}, "/tools/echo.throw/call"],
  ["POST /tools/{name}/call", 202, { arguments: { message: "may I?" } }, "/tools/asking/call"],
  ["POST /tools/{name}/call", 400, { arguments: { a: "x" } }, "/tools/echo.add/call"],
  ["POST /tools/{name}/call", 404, {}, "/tools/echo.ecko/call"],
  ["GET /tools/{name}", 200, undefined, "/tools/echo.echo"],
  ["GET /tools/{name}", 404, undefined, "/tools/nowhere"],
  ["PUT /tools/{name}", 200, manifest, "/tools/again?reason=because"],
  ["PUT /tools/{name}", 400, { ...manifest, name: "other" }, "/tools/again"],
  ["POST /tools/{name}/export", 200, {}, "/tools/again/export"],
  ["POST /tools/import", 403, { bundle: "bm90aGluZw==", reason: "why not" }],
  ["DELETE /tools/{name}", 200, undefined, "/tools/again?reason=enough"],
  ["GET /audit", 200],
  ["GET /audit/verify", 200],
  ["GET /audit/{id}", 404, undefined, "/audit/nothing"],
  ["GET /tools/changes", 200],
  ["GET /tools/changes", 400, undefined, "/tools/changes?offset=-1"],
  ["GET /skills/changes", 200],
  ["GET /tasks/changes", 200],
  ["GET /jobs/changes", 200],
  ["GET /search", 200, undefined, "/search?q=echo&q=add+numbers&limit=2"],
  ["GET /search", 400, undefined, "/search?limit=0"],
  ["GET /search", 404, undefined, "/search?q=echo&server=nowhere"],
  ["POST /search/evaluation", 200, { cases: [{ query: "add two numbers", tools: ["demo.add"] }] }],
  ["POST /search/evaluation", 400, { cases: [] }],
  ["DELETE /search/learned", 200],
  ["GET /recommendations", 200, undefined, "/recommendations?task=add+two+numbers"],
  ["GET /recommendations", 400, undefined, "/recommendations"],
  ["GET /stats", 200, undefined, "/stats?tools=true"],
  ["GET /stats", 400, undefined, "/stats?tools=maybe"],
  ["GET /tools/quality", 200, undefined, "/tools/quality?require_examples=true"],
  ["GET /tools/quality", 400, undefined, "/tools/quality?threshold=high"],
  ["GET /tools/{name}/overlay", 200, undefined, "/tools/echo.echo/overlay"],
  ["GET /tools/{name}/overlay", 404, undefined, "/tools/nowhere/overlay"],
  [
    "POST /tools/{name}/overlay/preview",
    200,
    { arguments: [] },
    "/tools/echo.echo/overlay/preview",
  ],
  [
    "POST /tools/{name}/overlay/preview",
    400,
    { providers: [] },
    "/tools/echo.echo/overlay/preview",
  ],
  ["POST /tools/disable", 200, { names: ["echo.add", "echo.echo"] }],
  ["POST /tools/enable", 200, { names: ["echo.echo", "echo.add"], reason: "needed" }],
  ["GET /registry/entries", 200, undefined, "/registry/entries?everywhere=true"],
  ["POST /registry/adopt", 404, { file: "/nowhere/toolplane.json" }],
  ["POST /tools/enable", 404, { names: ["nowhere.tool"] }],
  ["POST /tools/disable", 400, { names: [] }],
  ["GET /extensions", 200],
  ["GET /extensions/operations", 200],
  ["GET /extensions/panels", 200],
  ["GET /extensions/{name}", 200, undefined, "/extensions/search"],
  ["POST /extensions/operations/{operation}", 200, {}, "/extensions/operations/greetings.word"],
  [
    "POST /extensions/operations/{operation}",
    400,
    { word: 1 },
    "/extensions/operations/greetings.word",
  ],
  ["POST /extensions/operations/{operation}", 404, {}, "/extensions/operations/greetings.none"],
  ["GET /pins", 200],
  ["GET /pins", 400, undefined, "/pins?status=odd"],
  ["GET /pins/{name}", 200, undefined, "/pins/echo.echo"],
  ["GET /pins/{name}", 404, undefined, "/pins/nowhere"],
  ["POST /pins/{name}/accept", 200, { reason: "looked at it" }, "/pins/echo.echo/accept"],
  ["POST /pins/{name}/reject", 200, {}, "/pins/resources.touch/reject"],
  ["GET /servers", 200],
  ["GET /servers/{name}", 200, undefined, "/servers/echo"],
  ["GET /servers/{name}", 404, undefined, "/servers/eco"],
  ["PUT /servers/{name}", 400, { description: "no way to reach it" }, "/servers/new"],
  ["DELETE /servers/{name}", 404, undefined, "/servers/eco"],
  ["POST /servers/{name}/connect", 200, {}, "/servers/prompts/connect"],
  ["POST /servers/{name}/restart", 200, {}, "/servers/prompts/restart"],
  ["POST /servers/{name}/refresh", 200, {}, "/servers/prompts/refresh"],
  ["GET /servers/{name}/logs", 200, undefined, "/servers/prompts/logs"],
  ["POST /servers/{name}/record", 200, { on: true }, "/servers/prompts/record"],
  ["GET /servers/{name}/messages", 200, undefined, "/servers/prompts/messages?limit=5"],
  ["GET /servers/{name}/messages", 400, undefined, "/servers/prompts/messages?after=x"],
  ["GET /prompts", 200],
  ["GET /prompts", 404, undefined, "/prompts?server=nowhere"],
  ["POST /servers/{name}/prompts/{prompt}", 502, {}, "/servers/prompts/prompts/none"],
  [
    "POST /servers/{name}/prompts/{prompt}",
    200,
    { arguments: { city: "Rome" } },
    "/servers/prompts/prompts/travel",
  ],
  ["GET /resources", 200],
  ["GET /servers/{name}/resource", 200, undefined, "/servers/resources/resource?uri=fx://readme"],
  ["GET /servers/{name}/resource", 400, undefined, "/servers/resources/resource"],
  [
    "POST /servers/{name}/pages",
    200,
    { page: "ui://a/b.html", method: "ui/open-link", params: { url: "https://example.com" } },
    "/servers/resources/pages",
  ],
  [
    "POST /servers/{name}/pages",
    400,
    { page: "ui://a/b.html", method: "tools/call" },
    "/servers/resources/pages",
  ],
  [
    "POST /servers/{name}/pages",
    404,
    { page: "ui://a/b.html", method: "ui/message" },
    "/servers/nowhere/pages",
  ],
  ["POST /servers/{name}/disconnect", 200, {}, "/servers/prompts/disconnect"],
  ["POST /registry/refresh", 200, {}],
  ["GET /registry/summary", 200],
  ["GET /skills", 200],
  ["GET /skills/{name}", 404, undefined, "/skills/none"],
  ["DELETE /skills/{name}", 200, undefined, "/skills/none"],
  ["DELETE /tasks/{name}", 409, undefined, "/tasks/gather"],
  ["DELETE /jobs/{name}", 409, undefined, "/jobs/digest"],
  ["GET /jobs", 200],
  ["POST /skills/{name}/run", 404, {}, "/skills/none/run"],
  ["POST /skills/{name}/run", 409, {}, "/skills/research/run"],
  ["GET /jobs/{name}", 200, undefined, "/jobs/digest"],
  ["GET /jobs/{name}", 404, undefined, "/jobs/none"],
  ["POST /jobs/{name}/run", 400, { input: "Rome" }, "/jobs/digest/run"],
  ["POST /jobs/{name}/run", 202, {}, "/jobs/digest/run"],
  ["POST /jobs/{name}/pause", 200, {}, "/jobs/digest/pause"],
  ["POST /jobs/{name}/resume", 200, {}, "/jobs/digest/resume"],
  ["GET /jobs/{name}/runs", 200, undefined, "/jobs/digest/runs"],
  ["GET /jobs/{name}/runs", 400, undefined, "/jobs/digest/runs?limit=101"],
  ["GET /job-runs/{id}", 404, undefined, "/job-runs/none"],
  ["POST /job-runs/{id}/cancel", 404, {}, "/job-runs/none/cancel"],
  ["POST /job-runs/{id}/rerun", 404, {}, "/job-runs/none/rerun"],
  ["GET /tasks", 200],
  ["GET /tasks/{name}", 200, undefined, "/tasks/gather"],
  ["GET /tasks/{name}", 404, undefined, "/tasks/none"],
  ["POST /code/run", 200, { source: "return await tools.echo.add({ a: 1, b: 2 })" }],
  ["POST /code/run", 400, {}],
  ["GET /code/search", 200, undefined, "/code/search?query=add"],
  ["GET /codegen/{kind}", 200, undefined, "/codegen/types?server=echo"],
  ["GET /codegen/{kind}", 400, undefined, "/codegen/python"],
  ["GET /agent", 200],
  [
    "PUT /models/{name}",
    200,
    { baseURL: "http://127.0.0.1:9/v1", model: "large" },
    "/models/large",
  ],
  ["PUT /models/{name}", 400, { model: 7 }, "/models/large"],
  ["GET /published-skills", 200],
  ["POST /agent", 400, { question: "why?", style: "fast" }],
  ["GET /calls", 200],
  ["GET /calls", 400, undefined, "/calls?status=fine"],
  ["GET /calls/series", 200, undefined, "/calls/series?minutes=10&step=5"],
  ["GET /calls/series", 400, undefined, "/calls/series?minutes=0"],
  ["GET /calls/{id}", 404, undefined, "/calls/none"],
  ["GET /calls/{id}/proof", 404, undefined, "/calls/none/proof"],
  ["GET /runs", 200],
  ["GET /runs", 400, undefined, "/runs?outcome=fine"],
  ["GET /runs", 400, undefined, "/runs?since=yesterday"],
  ["GET /runs/{id}", 404, undefined, "/runs/none"],
  ["GET /results", 200],
  ["GET /results", 400, undefined, "/results?limit=0"],
  ["GET /results/{id}", 400, undefined, "/results/none?offset=first"],
  ["GET /results/{id}", 404, undefined, "/results/none"],
  ["GET /approvals", 200],
  ["GET /approvals", 400, undefined, "/approvals?status=soon"],
  ["GET /approvals/{id}", 404, undefined, "/approvals/none"],
  ["POST /approvals/{id}", 400, { decision: "perhaps" }, "/approvals/none"],
  ["POST /approvals/{id}", 404, { decision: "approve" }, "/approvals/none"],
  ["GET /approvals/remembered", 200],
  ["DELETE /approvals/remembered/{id}", 404, undefined, "/approvals/remembered/none"],
  ["GET /plans", 200],
  ["GET /plans/{id}", 404, undefined, "/plans/none"],
  ["POST /plans/{id}/approve", 404, {}, "/plans/none/approve"],
  ["POST /plans/{id}/reject", 400, { first: "all" }, "/plans/none/reject"],
  ["GET /activity", 200],
  ["GET /dead-letters", 200],
  ["GET /dead-letters/{id}", 404, undefined, "/dead-letters/none"],
  ["POST /dead-letters/{id}/retry", 404, {}, "/dead-letters/none/retry"],
  ["POST /dead-letters/{id}/resolve", 404, { note: "done" }, "/dead-letters/none/resolve"],
  ["POST /dead-letters/{id}/abandon", 400, { note: 1 }, "/dead-letters/none/abandon"],
  ["DELETE /dead-letters/{id}", 200, undefined, "/dead-letters/none"],
  ["GET /policy", 200],
  ["POST /policy/test", 200, { tool: "asking", arguments: { message: "may I?" } }],
  ["POST /policy/test", 400, { tool: "asking", face: "door" }],
  ["POST /policy/test", 404, { tool: "nowhere" }],
  ["POST /policy/preview", 200, { rules: [{ tool: "echo.*", verdict: "deny" }] }],
  ["POST /policy/preview", 400, { rules: [{ tool: "echo.*", verdict: "perhaps" }] }],
  ["GET /policy/rules", 200],
  ["PUT /policy/rules", 409, { rules: [], revision: "other" }],
  ["GET /config", 200],
  ["GET /doctor", 200, undefined, "/doctor?server=echo"],
  ["GET /doctor", 404, undefined, "/doctor?server=nowhere"],
  ["GET /defaults", 200],
  ["POST /defaults/{id}/accept", 404, {}, "/defaults/nothing/accept"],
  ["POST /defaults/{id}/keep", 404, {}, "/defaults/nothing/keep"],
  ["GET /trust", 200],
  ["POST /trust", 409, { hashes: ["0"] }],
  ["POST /trust", 400, { hashes: [] }],
  ["DELETE /trust", 200],
  ["POST /servers/import", 200, { clients: ["cursor"], dryRun: true }],
  ["POST /servers/import", 400, { clients: ["abacus"], dryRun: true }],
  ["POST /servers/add", 200, { what: "npx -y some-server", dryRun: true }],
  ["POST /servers/add", 400, { what: "./nothing.mcpb" }],
  ["POST /servers/add", 503, { what: "no-such-program here" }],
  ["GET /registries/servers", 200, undefined, "/registries/servers?query=files"],
  ["GET /registries/servers", 400, undefined, "/registries/servers"],
  ["POST /registries/updates", 200, {}],
  ["POST /registries/updates", 404, { name: "echo" }],
  ["GET /calls/export", 200],
  ["GET /calls/export", 200, undefined, "/calls/export?format=har&limit=5"],
  ["GET /calls/export", 400, undefined, "/calls/export?format=xml"],
  ["GET /calls/export", 400, undefined, "/calls/export?limit=0"],
  ["GET /runs/running", 200],
  ["POST /runs/{id}/stop", 404, undefined, "/runs/none/stop"],
  ["PUT /conversations/{conversation}", 404, { title: "Mine" }, "/conversations/none"],
  ["PUT /conversations/{conversation}", 400, {}, "/conversations/none"],
  ["DELETE /conversations/{conversation}", 404, undefined, "/conversations/none"],
  ["GET /calls/summary", 200],
  ["GET /calls/summary", 200, undefined, "/calls/summary?since=2026-01-01&minMs=0&server=echo"],
  ["GET /calls/running", 200],
  ["GET /calls/usage", 200],
  [
    "GET /calls",
    200,
    undefined,
    "/calls?since=2026-01-01&until=2026-12-31&match=ech&minMs=0&maxMs=1000",
  ],
  ["GET /calls", 400, undefined, "/calls?since=soon"],
  ["GET /calls", 400, undefined, "/calls?minMs=-1"],
  ["GET /calls/summary", 400, undefined, "/calls/summary?minutes=0"],
  ["GET /clients", 200],
  ["POST /clients/{client}/connect", 200, { dryRun: true }, "/clients/cursor/connect"],
  ["POST /clients/{client}/connect", 400, { dryRun: true }, "/clients/abacus/connect"],
  ["POST /clients/{client}/disconnect", 400, {}, "/clients/abacus/disconnect"],
  ["GET /servers/{name}/entry", 200, undefined, "/servers/echo/entry"],
  ["GET /servers/{name}/entry", 404, undefined, "/servers/none/entry"],
  [
    "POST /servers/{name}/entry",
    200,
    { entry: { command: "no-such-program" }, dryRun: true },
    "/servers/copy/entry",
  ],
  ["POST /servers/{name}/entry", 400, { entry: { env: { KEY: "***" } } }, "/servers/copy/entry"],
  ["POST /servers/{name}/restore", 404, {}, "/servers/none/restore"],
  ["POST /dead-letters/{id}/restore", 404, {}, "/dead-letters/none/restore"],
  ["GET /toolsets", 200],
  ["PUT /toolsets/{name}", 200, { providers: ["echo"], allow_tools: ["add"] }, "/toolsets/sums"],
  ["PUT /toolsets/{name}", 400, { provider: "echo" }, "/toolsets/sums"],
  ["GET /toolsets/{name}", 200, undefined, "/toolsets/sums"],
  ["GET /toolsets/{name}", 404, undefined, "/toolsets/none"],
  ["DELETE /toolsets/{name}", 200, undefined, "/toolsets/sums"],
  ["DELETE /toolsets/{name}", 404, undefined, "/toolsets/sums"],
  ["POST /toolsets/{name}/restore", 200, {}, "/toolsets/sums/restore"],
  ["POST /toolsets/{name}/restore", 404, {}, "/toolsets/none/restore"],
  ["GET /personas", 200],
  ["GET /users", 200],
  ["GET /session", 200],
  ["POST /session", 400, { key: "" }],
  ["POST /session", 401, { key: "tp_none" }],
  ["DELETE /session", 200],
  ["GET /questions", 200],
  ["POST /questions/{id}", 400, { action: "perhaps" }, "/questions/none"],
  ["POST /questions/{id}", 404, { action: "accept" }, "/questions/none"],
  ["GET /tokens", 200],
  ["PUT /servers/{name}/token", 200, { token: "CANARY" }, "/servers/remote/token"],
  ["DELETE /servers/{name}/token", 200, undefined, "/servers/remote/token"],
  ["POST /servers/{name}/sign-in", 404, {}, "/servers/nowhere/sign-in"],
  ["GET /oauth/callback", 403, undefined, "/oauth/callback?state=none&code=none"],
  ["GET /keys", 200],
  ["GET /account/{name}", 404, undefined, "/account/none"],
  ["GET /grants", 200],
  ["DELETE /grants/{id}", 400, undefined, "/grants/none"],
  ["GET /people", 200],
  ["POST /people", 400, { user: "ann@example.org" }],
  ["DELETE /people/{user}", 400, undefined, "/people/none"],
  ["DELETE /keys/{id}", 404, undefined, "/keys/none"],
  ["GET /events", 400, undefined, "/events?after=yesterday"],
  ["POST /keys", 400, { name: "ci", scopes: ["root"] }],
];

suite("the OpenAPI document", () => {
  let directory: TemporaryDirectory;
  let serving: RunningServe;
  let document: Document;
  let place: string[];
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const whole = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  const undeclared = new Set<string>();

  before(async () => {
    directory = await temporaryDirectory();
    const remote = { url: "http://127.0.0.1:9/mcp", autoConnect: false };
    const servers = {
      echo: fixture("echo"),
      prompts: fixture("prompts"),
      resources: fixture("resources"),
      remote,
    };
    await writeFile(directory.file("greeter.mjs"), greeter);
    const config = await writeConfig(directory, servers, {
      extensions: ["./greeter.mjs"],
      // Answers nothing: what cannot be asked is said.
      registries: ["http://127.0.0.1:9"],
      manifests: [join(import.meta.dirname, "../fixtures/manifests/work/*")],
      tools: { asking: manifest },
      policy: { rules: [{ tool: "asking", verdict: "ask" }] },
    });
    place = ["--config", config, "--data-dir", directory.file("data")];
    serving = await startServe(config, directory.file("data"));
    document = (await (await fetch(`${serving.url}/openapi.json`)).json()) as Document;
  });
  after(async () => {
    await serving.stop();
    await directory[Symbol.asyncDispose]();
  });

  const described = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  /** One route answers for all of them, which the document names one by one. */
  const isAdded = (request: string) => request === "POST /extensions/operations/greetings.word";

  test("is one of version 3.1 that says who may ask", () => {
    assert.match(document.openapi, /^3\.1\./);
    assert.deepEqual(Object.keys(document.components.securitySchemes as object), [
      "bearer",
      "apiKey",
    ]);
  });

  test("names every route that there is, and every route is asked below", async () => {
    await using plane = await planeOf({});
    const setup = await openLocalSetup({ files: [], directory: directory.path });
    const app = createApp(plane, {
      host: "127.0.0.1",
      closing: new AbortController().signal,
      setup,
    });
    const routes = app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    const own = described().filter((request) => !isAdded(request));
    assert.equal(own.length, described().length - 1);
    assert.deepEqual(own.sort(), routes.sort());
    assert.deepEqual([...new Set(cases.map(([request]) => request))].sort(), own);
  });

  test("has a title and a scope or a reason for every route, and an example that fits", () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const { summary, responses } = operation as Operation & { summary: string };
        assert.ok(summary, `${method} ${path}`);
        for (const { content = {} } of Object.values(responses)) {
          for (const { schema, example } of Object.values(content) as (Media & {
            example?: unknown;
          })[]) {
            if (example !== undefined) assertFits(example, schema ?? {}, `${method} ${path}`);
          }
        }
      }
    }
  });

  test("tells what is found by its id", async () => {
    await ask(["POST /tools/{name}/call", 502, {}, "/tools/echo.throw/call"]);
    const { calls } = await ask(["GET /calls", 200]);
    await ask(["GET /calls/{id}", 200, undefined, `/calls/${idOf(calls)}`]);
    await ask(["GET /calls/{id}/proof", 200, undefined, `/calls/${idOf(calls)}/proof`]);
    const { deadLetters } = await ask(["GET /dead-letters", 200]);
    const letter = `/dead-letters/${idOf(deadLetters)}`;
    await ask(["GET /dead-letters/{id}", 200, undefined, letter]);
    await ask(["POST /dead-letters/{id}/retry", 502, {}, `${letter}/retry`]);
    await ask(["POST /dead-letters/{id}/abandon", 200, {}, `${letter}/abandon`]);
    await ask([
      "POST /dead-letters/{id}/resolve",
      200,
      { note: "done by hand" },
      `${letter}/resolve`,
    ]);
    await ask(["DELETE /dead-letters/{id}", 200, undefined, letter]);
    const { skills } = await ask(["GET /skills", 200]);
    await ask([
      "GET /skills/{name}",
      200,
      undefined,
      `/skills/${(skills as { name: string }[])[0]?.name}`,
    ]);
  });

  test("tells how a call that waits is answered", async () => {
    await ask([
      "POST /tools/{name}/call",
      202,
      { arguments: { message: "may I?" } },
      "/tools/asking/call",
    ]);
    const { approvals } = await ask([
      "GET /approvals",
      200,
      undefined,
      "/approvals?status=pending",
    ]);
    const approval = `/approvals/${idOf(approvals)}`;
    await ask(["GET /approvals/{id}", 200, undefined, approval]);
    const { outcome } = await ask(["POST /approvals/{id}", 200, { decision: "approve" }, approval]);
    assert.equal((outcome as { ok: boolean }).ok, true);
    await ask(["POST /approvals/{id}", 409, { decision: "reject" }, approval]);
  });

  test("tells how every route answers", async () => {
    for (const one of cases) await ask(one);
  });

  test("tells what keys are for", async () => {
    const made = await runCli(["keys", "create", "root", "--scope", "admin", "--json", ...place]);
    const key = String(made.json().secret);
    await ask(["GET /tools", 401]);
    await ask(["GET /tools", 200], key);
    const { key: other } = await ask(["POST /keys", 201, { name: "ci", user: "ann" }], key);
    const { id } = other as { id: string };
    await ask(["GET /keys", 200], key);
    await ask(["POST /keys", 400, { user: "ann" }], key);
    await ask(["DELETE /keys/{id}", 200, undefined, `/keys/${id}`], key);
    const entry = { url: "http://127.0.0.1:9/mcp", lazy: true };
    await ask(["PUT /servers/{name}", 200, entry, "/servers/new"], key);
    await ask(["DELETE /servers/{name}", 200, undefined, "/servers/new"], key);
  });

  test("declares every field that was answered", () => {
    assert.deepEqual([...undeclared].sort(), []);
  });

  const idOf = (list: unknown) => (list as { id: string }[])[0]?.id;

  /** The answer, once it is the one that the document describes. */
  async function ask(
    [request, expected, body, target]: Case,
    key?: string,
  ): Promise<Record<string, unknown>> {
    const [method = "", path = ""] = request.split(" ");
    const response = await fetch(`${serving.url}${target ?? path}`, {
      method,
      headers: key === undefined ? serving.proof : { "x-api-key": key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const title = `${request} → ${response.status} ${text.slice(0, 300)}`;
    assert.equal(response.status, expected, title);
    const responses = document.paths[path]?.[method.toLowerCase()]?.responses ?? {};
    const { content = {} } = responses[expected] ?? responses.default ?? {};
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    assert.ok(content[type], `${title}: ${type} is not described`);
    if (!type.endsWith("json")) return {};
    const answer = JSON.parse(text) as Record<string, unknown>;
    assertFits(answer, content[type].schema ?? {}, title);
    const declared = operations.find(
      ({ http }) => !isMissing(http) && http.method === method.toLowerCase() && http.path === path,
    );
    if (declared && response.ok) noteOthers(answer, declared);
    return answer;
  }

  /** Clients may meet fields that they do not know; we send none that is not declared. */
  function noteOthers(value: unknown, { name, output }: Declared): void {
    const validate = whole.compile(
      z.toJSONSchema(output, { io: "output", unrepresentable: "any" }),
    );
    if (validate(value)) return;
    // A tool in a list is a whole one, or a row, whose fields are others.
    for (const { keyword, instancePath, schemaPath, params } of validate.errors ?? [])
      if (keyword === "additionalProperties" && !schemaPath.includes("/ToolRow/"))
        undeclared.add(
          `${name}${instancePath.replaceAll(/\/\d+/g, "[]")}: ${params.additionalProperty}`,
        );
  }

  function assertFits(value: unknown, schema: Record<string, unknown>, title: string): void {
    const validate = ajv.compile({ ...schema, components: document.components });
    assert.ok(validate(value), `${title}\n${ajv.errorsText(validate.errors)}`);
  }
});
