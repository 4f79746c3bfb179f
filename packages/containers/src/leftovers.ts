import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";

import { removeEnvFiles } from "./env-file.ts";

const limitMs = 10_000;
const namePattern = /^toolplane-(\d+)-[0-9a-f]{12}$/;

/** Of all planes in this process. */
const ownContainers = new Set<string>();

/** The name tells which process answers for it. */
export function nameContainer(): string {
  const name = `toolplane-${process.pid}-${randomBytes(6).toString("hex")}`;
  ownContainers.add(name);
  return name;
}

/** Several machines may share a runtime, and a process id means nothing on another one. */
export function hostLabel(host: string): string {
  return `toolplane.host=${createHash("sha256").update(host).digest("hex").slice(0, 16)}`;
}

export async function removeContainer(runtime: string, name: string): Promise<void> {
  await run(runtime, ["rm", "-f", name]);
  ownContainers.delete(name);
}

const sweeps = new Map<string, Promise<void>>();

/** Containers of planes that are gone; once for each runtime. */
export function sweepLeftovers(runtime: string): Promise<void> {
  const earlierSweep = sweeps.get(runtime);
  if (earlierSweep) return earlierSweep;
  const sweeping = sweep(runtime);
  sweeps.set(runtime, sweeping);
  return sweeping;
}

async function sweep(runtime: string): Promise<void> {
  const names = await run(runtime, [
    "ps",
    "-a",
    "--filter",
    `label=${hostLabel(hostname())}`,
    "--format",
    "{{.Names}}",
  ]);
  const isLeft = (name: string) => {
    const [, pid] = namePattern.exec(name) ?? [];
    return pid !== undefined && !ownContainers.has(name) && !isElsewhere(Number(pid));
  };
  removeEnvFiles(isLeft);
  const leftovers = names.split(/\s+/).filter(isLeft);
  if (leftovers.length > 0) await run(runtime, ["rm", "-f", ...leftovers]);
}

/** Another process of this machine answers for it. */
function isElsewhere(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** What it prints; nothing where it fails, because a container that is gone is what was wanted. */
function run(runtime: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      runtime,
      args,
      { timeout: limitMs, killSignal: "SIGKILL", windowsHide: true },
      (_, stdout) => resolve(stdout),
    );
  });
}
