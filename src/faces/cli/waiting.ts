import { plainText } from "../../lib/plain-text.ts";
import type { EventOf } from "../../model/events.ts";
import type { Plane } from "../../model/plane.ts";
import { colors } from "./colors.ts";
import { beforeOutput } from "./output.ts";
import { terminal } from "./terminal.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 100;
const waitMs = 300;
const barLength = 20;
const lineEveryMs = 1_000;

/** Tells a person at a terminal which servers a slow command is waiting for, until there is something to print. */
export function showWaiting(plane: Plane): Disposable {
  if (!terminal.stderr.isTTY) return { [Symbol.dispose]() {} };
  const startedAt = Date.now();
  const starting = new Set<string>();
  const installing = new Set<string>();
  let installLine = "";
  let progress: string | undefined;
  const settle = ({ server }: { server: string }) => {
    starting.delete(server);
    installing.delete(server);
  };
  const readInstallLine = async () => {
    const [first] = installing;
    const status = first === undefined ? null : await plane.server(first).catch(() => null);
    installLine = status?.installing?.lastLine ?? "";
  };
  const unsubscribe = [
    plane.on("server.connecting", ({ server }) => void starting.add(server)),
    plane.on("server.installing", ({ server }) => void installing.add(server)),
    plane.on("server.connected", settle),
    plane.on("server.error", settle),
    plane.on("tool.progress", (report) => {
      progress = renderProgress(report);
    }),
  ];
  const timer = setInterval(() => {
    const waited = Date.now() - startedAt;
    if (waited < waitMs) return;
    const frame = frames[Math.floor(waited / frameMs) % frames.length] ?? "";
    if (installing.size > 0 && waited % lineEveryMs < frameMs) void readInstallLine();
    const line = `${colors.cyan(frame)} ${nowDoing(starting, installing, installLine, progress)}`;
    terminal.stderr.write(`\r\u001b[K${line}`);
  }, frameMs);
  const stop = () => {
    clearInterval(timer);
    for (const leave of unsubscribe) leave();
    if (Date.now() - startedAt >= waitMs) terminal.stderr.write("\r\u001b[K");
  };
  beforeOutput.add(stop);
  return {
    [Symbol.dispose]() {
      if (beforeOutput.delete(stop)) stop();
    },
  };
}

function nowDoing(
  starting: ReadonlySet<string>,
  installing: ReadonlySet<string>,
  installLine: string,
  progress: string | undefined,
): string {
  if (installing.size > 0) {
    const room = Math.max(20, (terminal.stderr.columns ?? 80) - 4);
    const said = installLine === "" ? "" : `: ${plainText(installLine)}`;
    return `installing ${[...installing].join(", ")}${said}`.slice(0, room);
  }
  return starting.size > 0 ? `starting ${[...starting].join(", ")}` : (progress ?? "waiting for the answer");
}

function renderProgress({ progress, total, message }: EventOf<"tool.progress">): string {
  const text = plainText(message ?? "").replaceAll(/\s+/g, " ");
  if (total === null || total <= 0) return `${progress} ${text}`;
  const share = Math.min(1, Math.max(0, progress / total));
  const filled = Math.round(share * barLength);
  return `${"█".repeat(filled)}${"░".repeat(barLength - filled)} ${Math.round(share * 100)} % ${text}`;
}
