import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import type { AddedServer } from "../../src/model/config/adding.ts";
import { startCatcher } from "../fixtures/catcher.ts";
import { installRuntime } from "../fixtures/container-runtime.ts";
import { startRegistry } from "../fixtures/mcp-registry.ts";
import {
  fixtureCommand,
  fixtureEnvironment,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { runCli } from "./support.ts";

export const secret = "AKIA-THE-SECRET-OF-THIS-MACHINE";
export const image = "example/echo:1.2";

type Options = { allow?: string[] };

/** A person with a secret in the environment, a registry that a stranger publishes in, and the stranger's host. */
export async function foreignWorld({ allow = ["127.0.0.1"] }: Options = {}) {
  const directory = await temporaryDirectory();
  const registry = await startRegistry([]);
  const stranger = await startCatcher();
  const { command, args } = fixtureCommand("echo");
  const runtime = installRuntime(directory.path, { [image]: [command, ...args] });
  const config = directory.file("toolplane.json");
  const settings = { registries: [registry.url], security: { egress: { allow } }, mcpServers: {} };
  await writeFile(config, JSON.stringify(settings));
  const env: Record<string, string> = {
    PATH: runtime.path,
    AWS_SECRET_ACCESS_KEY: secret,
    NODE_COMPILE_CACHE: String(fixtureEnvironment().NODE_COMPILE_CACHE),
  };
  const mark = directory.file("mark");
  const name = (own: string) => `io.github.stranger/${own}`;
  const run = (...words: string[]) =>
    runCli([...words, "--config", config, "--data-dir", directory.file("data")], {
      cwd: directory.path,
      env,
    });
  return {
    directory,
    registry,
    stranger,
    runtime,
    config,
    env,
    mark,
    run,
    /** What a stranger's words would leave behind if one of them was run here. */
    touch: `touch ${mark}`,
    wasRun: () => existsSync(mark),
    publish(own: string, given: object, version = "1.0.0") {
      registry.published.push({ name: name(own), description: "", version, ...given });
      return name(own);
    },
    planned: async (...words: string[]) =>
      JSON.parse((await run("add", ...words, "--dry-run", "--json")).stdout) as AddedServer,
    entries: async () => JSON.parse(await readFile(config, "utf8")).mcpServers,
    async [Symbol.asyncDispose]() {
      await Promise.all([registry.stop(), stranger[Symbol.asyncDispose]()]);
      await directory[Symbol.asyncDispose]();
    },
  };
}
