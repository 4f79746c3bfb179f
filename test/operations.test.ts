import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "commander";
import type { Cli } from "../src/faces/cli/cli.ts";
import { createProgram } from "../src/faces/cli/program.ts";
import { createApp } from "../src/faces/http/app.ts";
import { remoteMethods } from "../src/faces/socket/remote-methods.ts";
import { isMissing } from "../src/operations/operation.ts";
import { operations } from "../src/operations/operations.ts";
import { createPlane } from "../src/plane.ts";

const methods: Readonly<Record<string, number | null>> = remoteMethods;

test("every operation is a method of the plane, or says how it runs", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const isMethod = (path: string) =>
    typeof path.split(".").reduce<unknown>((part, name) => Reflect.get(part as object, name), plane) === "function";
  assert.deepEqual(
    operations.filter(({ name, run }) => run === undefined && !isMethod(name)).map(({ name }) => name),
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
  const { routes } = createApp(plane, { host: "127.0.0.1", closing: new AbortController().signal });
  const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const wanted = operations.flatMap(({ http }) =>
    isMissing(http) ? [] : `${http.method.toUpperCase()} ${http.path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
  );
  assert.deepEqual(wanted.toSorted(), [...new Set(wanted)].toSorted());
  assert.deepEqual(
    wanted.filter((route) => !known.has(route)),
    [],
  );
});

test("the socket knows where each operation takes its caller", () => {
  const wrong = operations.filter(({ name, args, socket }) => {
    const place = methods[name];
    return !isMissing(socket) && place !== null && place !== args.length;
  });
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  );
});

function pathsOf(command: Command, path: readonly string[]): string[] {
  return command.commands.flatMap((inner) => {
    const name = [...path, inner.name()];
    return [name.join(" "), ...pathsOf(inner, name)];
  });
}
