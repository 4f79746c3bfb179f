import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "commander";
import type { Cli } from "../src/faces/cli/cli.ts";
import { createProgram } from "../src/faces/cli/program.ts";
import { createApp } from "../src/faces/http/app.ts";
import { createPlane } from "../src/index.ts";
import type { Plane } from "../src/model/plane.ts";
import { type ConfigFiles, isMissing } from "../src/operations/operation.ts";
import { operations } from "../src/operations/operations.ts";
import { routeTable } from "../src/operations/route-table.ts";

/** Methods of the plane that are no operation, and why. */
const libraryOnly: Readonly<Record<string, string>> = {
  start: "the life cycle belongs to the process",
  drain: "the life cycle belongs to the process",
  endCalls: "the life cycle belongs to the process",
  stop: "the life cycle belongs to the process",
  on: "takes a function; HTTP has GET /events, the socket sends events with its answers",
  toolset: "gives functions for a model of the caller's own",
  "toolsets.register":
    "changes this process only; the configuration defines toolsets for every face",
  "toolsets.select": "resolves a configured alias for the gateway",
  "tools.register": "takes a function that runs in this process",
  "tools.unregister": "the counterpart of tools.register",
  "tools.registerProvider": "takes a function that runs in this process",
  "tools.weigh": "takes whole tools of this process; tools.quality and stats show it",
  "tools.countTokens": "counts texts for the faces themselves",
  "servers.forward": "the gateway passes on requests of MCP clients",
  "servers.wantLogs": "the gateway follows the log level of its clients",
  "servers.sees": "the gateway asks before it passes on",
  "servers.instructions": "the gateway shows them to MCP clients",
  "servers.extensions": "the gateway asks before it passes on what belongs to one",
  "servers.declare": "the gateway reports what its clients declare",
  "trust.unanswered":
    "the gateway asks the person at a client; the command trust reads the answers itself",
  "trust.decline": "the answer to that question; trust.approve is the other one",
  "servers.onMessage": "takes a function; the gateway passes on notifications",
  "servers.followLogs": "takes a function; HTTP streams GET /servers/{name}/logs",
  "servers.poolInfo": "numbers of this process; GET /servers and GET /metrics show them",
  "resources.watch": "takes a subscription; the gateway serves resources/subscribe",
  as: "makes a plane for one caller; every other face knows its caller",
  "identity.usualCaller": "the caller of this process",
  "identity.anonymous": "the HTTP front asks it for each request, without waiting",
  "identity.signInFront": "takes requests and responses of Node; the HTTP face serves it",
  "identity.personAt": "takes a request of Node; the HTTP face asks it for browsers",
  "identity.requireSignIn": "the process asks it before it listens",
  "identity.identify": "every face identifies its callers with it",
  "audit.run": "takes a function; every face changes things through the verbs that are recorded",
  "events.list": "events.page is its paged form",
  "events.lastId": "where a stream of events begins",
  "events.onStored": "takes a function; wakes streams of events",
  "events.onTransient": "takes a function; GET /events streams them among the others",
  "agent.generateAll": "an asynchronous iterator; the command line has batch",
  "clients.watch": "counts the clients of a face",
};

test("every method of the plane is an operation, or says why it is for the library only", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const declared = new Set(operations.map(({ name }) => name));
  const methods = methodsOf(plane);
  assert.deepEqual(
    methods.filter((name) => !declared.has(name)),
    methods.filter((name) => Object.hasOwn(libraryOnly, name)),
  );
  assert.deepEqual(
    Object.keys(libraryOnly).filter((name) => !methods.includes(name)),
    [],
    "listed and not there",
  );
});

test("every operation is a method of the plane, or says how it runs", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const methods = methodsOf(plane);
  assert.deepEqual(
    operations
      .filter(({ name, run }) => run === undefined && !methods.includes(name))
      .map(({ name }) => name),
    [],
  );
});

test("every operation can be reached on the command line, or says why not", () => {
  const nothing = () => undefined;
  const known = new Set(pathsOf(createProgram({} as Cli, nothing, nothing), []));
  const commands = operations.flatMap(({ cli }) => (isMissing(cli) ? [] : cli.command));
  assert.deepEqual(
    commands.filter((command) => !known.has(command)),
    [],
  );
});

test("every operation has a route of its own, or says why not", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const setup = {} as ConfigFiles;
  const { routes } = createApp(plane, {
    host: "127.0.0.1",
    closing: new AbortController().signal,
    setup,
  });
  const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const wanted = operations.flatMap(({ http }) =>
    isMissing(http)
      ? []
      : `${http.method.toUpperCase()} ${http.path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
  );
  assert.deepEqual(wanted.toSorted(), [...new Set(wanted)].toSorted());
  assert.deepEqual(
    wanted.filter((route) => !known.has(route)),
    [],
  );
});

test("the inputs tell the routes of one operation apart", () => {
  const alike = Object.entries(routeTable).filter(([, routes]) => {
    const wanted = routes.map(({ inPath, fixed = {} }) =>
      JSON.stringify([inPath.toSorted(), fixed]),
    );
    return new Set(wanted).size < wanted.length;
  });
  assert.deepEqual(alike, []);
  assert.ok((routeTable["registry.changes"]?.length ?? 0) > 1);
});

test("a face that an operation is not reached on has a reason", () => {
  const reasons = operations.flatMap(({ http, cli, socket }) =>
    [http, cli, socket].filter(isMissing),
  );
  assert.deepEqual(
    reasons.filter(({ missing }) => missing.trim().length < 10),
    [],
  );
});

function methodsOf(plane: Plane): string[] {
  return Object.entries(plane).flatMap(([name, part]: [string, unknown]) => {
    if (typeof part === "function") return [name];
    const verbs = Object.entries(part as object).filter(([, verb]) => typeof verb === "function");
    return verbs.map(([verb]) => `${name}.${verb}`);
  });
}

function pathsOf(command: Command, path: readonly string[]): string[] {
  return command.commands.flatMap((inner) => {
    const name = [...path, inner.name()];
    return [name.join(" "), ...pathsOf(inner, name)];
  });
}
