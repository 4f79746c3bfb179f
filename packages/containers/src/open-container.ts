import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { delimiter, join } from "node:path";
import { once } from "@toolplane/core/lib/async/once";
import type { ServerContainer } from "@toolplane/core/model/servers/server";
import {
  type Channel,
  type ChannelHandlers,
  TransportError,
} from "@toolplane/core/protocol/message";
import { type ContainerOptions, openStdio } from "@toolplane/core/servers";
import { removeEnvFile, writeEnvFile } from "./env-file.ts";
import { hostLabel, nameContainer, removeContainer, sweepLeftovers } from "./leftovers.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The server runs in a container; the process that we talk to is the runtime's client. */
export async function openContainer(
  options: ContainerOptions,
  handlers: ChannelHandlers,
): Promise<Channel> {
  const { container, parentEnvironment, cwd, ...line } = options;
  const runtime = findRuntime(container.runtime, parentEnvironment);
  if (runtime === null) throw new TransportError(missingRuntime(container), { sent: false });
  await sweepLeftovers(runtime);
  const name = nameContainer();
  const envFile = writeEnvFile(name, variablesOf(container, line.env, parentEnvironment));
  const discardEnvFile = once(() => removeEnvFile(envFile));
  // Its client may be gone while the container is not.
  const remove = once(() => {
    discardEnvFile();
    return removeContainer(runtime, name);
  });
  try {
    return await openStdio(
      {
        // What the server inside is to see must not act on the client outside: that has the plane's variables alone.
        ...line,
        env: {},
        cwd,
        parentEnvironment,
        command: runtime,
        args: runArguments(container, {
          name,
          envFile,
          words: [options.command ?? [], options.args].flat(),
        }),
        container: { runtime, name },
        afterStop: remove,
      },
      {
        ...handlers,
        onMessage(...message) {
          discardEnvFile();
          handlers.onMessage(...message);
        },
        onClose(reason) {
          void remove();
          handlers.onClose(reason);
        },
      },
    );
  } catch (thrown) {
    discardEnvFile();
    throw thrown;
  }
}

function variablesOf(
  { env: names }: ServerContainer,
  configured: Readonly<Record<string, string>>,
  parentEnvironment: Environment,
) {
  const inherited = names.flatMap((name) => {
    const value = parentEnvironment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...configured };
}

type RunParts = { name: string; envFile: string | null; words: readonly string[] };

/** No network, nothing to write to, no capabilities; variables in a file, so that no value stands on a command line. */
export function runArguments(
  container: ServerContainer,
  { name, envFile, words: commandWords }: RunParts,
): string[] {
  const { image, network, mounts, memory, pids, user } = container;
  return [
    "run",
    "--rm",
    "-i",
    "--init",
    "--name",
    name,
    "--label",
    hostLabel(hostname()),
    "--network",
    network,
    "--read-only",
    "--tmpfs",
    "/tmp",
    "--cap-drop",
    "ALL",
    "--security-opt",
    "no-new-privileges",
    "--memory",
    memory,
    "--pids-limit",
    String(pids),
    ...(user === undefined ? [] : ["--user", user]),
    ...mounts.flatMap((mount) => ["--mount", mountOption(mount)]),
    ...(envFile === null ? [] : ["--env-file", envFile]),
    image,
    ...commandWords,
  ];
}

export function parseMount(mount: string): { source: string; target: string; isWritable: boolean } {
  const [, source = "", target = "", mode] = /^(.+?):(\/[^:]*)(?::(r[ow]))?$/s.exec(mount) ?? [];
  return { source, target, isWritable: mode === "rw" };
}

/** Its fields are those of a CSV line, so that a path may have a comma. */
function mountOption(mount: string): string {
  const { source, target, isWritable } = parseMount(mount);
  const field = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const fields = ["type=bind", field(`source=${source}`), field(`target=${target}`)];
  return [...fields, ...(isWritable ? [] : ["readonly"])].join(",");
}

/** What is looked for, in this order. */
const programs: Readonly<Record<ServerContainer["runtime"], readonly string[]>> = {
  auto: ["docker", "podman"],
  docker: ["docker"],
  podman: ["podman"],
};

/** By its whole path: a variable for the server must not change which program starts it. */
export function findRuntime(
  runtime: ServerContainer["runtime"],
  environment: Environment,
): string | null {
  const path =
    Object.entries(environment).find(([name]) => name.toUpperCase() === "PATH")?.[1] ?? "";
  const extension = process.platform === "win32" ? ".exe" : "";
  const candidates = programs[runtime].flatMap((name) =>
    path.split(delimiter).map((directory) => join(directory, name + extension)),
  );
  return candidates.find((file) => existsSync(file)) ?? null;
}

export function missingRuntime({ runtime }: Pick<ServerContainer, "runtime">): string {
  const subject = runtime === "auto" ? "neither docker nor podman was" : `${runtime} was not`;
  return `${subject} found in PATH, and 'container' needs it. Install it, or take 'container' out`;
}
