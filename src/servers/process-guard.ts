import { type ChildProcess, spawn } from "node:child_process";
import { userTemporaryDirectory } from "../lib/private-directory.ts";
import type { ContainerName } from "../protocol/message.ts";

/** Ends the process groups that are left when we are gone, however we went, and removes what containers were given. A shell starts fast and is small. */
const script = `
groups=" " names=" " runtime=
while read -r sign group program; do
  case "$sign$groups" in
    c*) names="$names$group " runtime="$program" ;;
    d*) names="\${names%%" $group "*} \${names#*" $group "}" ;;
    +*) groups="$groups$group " ;;
    *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;;
  esac
done
for group in $groups; do kill -TERM -"$group" 2>/dev/null; done
for name in $names; do rm -f "$1/$name.env"; done
[ "$names" = " " ] || "$runtime" rm -f $names >/dev/null 2>&1
[ "$groups" = " " ] && exit
sleep 2
for group in $groups; do kill -KILL -"$group" 2>/dev/null; done
`;

const againAfterMs = 100;
const onWindows = process.platform === "win32";

export type ProcessGuard = ReturnType<typeof createProcessGuard>;

/** Starts with the first process. Without a shell, children notice by themselves. */
export function createProcessGuard() {
  let shell: ChildProcess | undefined;
  const watched = new Map<number, ContainerName | undefined>();

  function start(): ChildProcess {
    // In a session of its own, so that the terminal does not end it before us.
    const guard = spawn("/bin/sh", ["-c", script, "sh", userTemporaryDirectory()], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    guard.on("error", () => undefined);
    // Restarted when it was killed.
    guard.on("exit", () => {
      if (shell !== guard) return;
      shell = undefined;
      setTimeout(
        () => watched.forEach((container, pid) => void notify("+", pid, container)),
        againAfterMs,
      ).unref();
    });
    guard.stdin?.on("error", () => undefined);
    guard.unref();
    (guard.stdin as unknown as { unref(): void } | null)?.unref();
    return guard;
  }

  function writeSign(sign: "+" | "-", pid: number): void {
    shell ??= start();
    shell.stdin?.write(`${sign} ${pid}\n`);
  }

  function notify(sign: "+" | "-", pid: number, container: ContainerName | undefined): void {
    writeSign(sign, pid);
    if (container)
      shell?.stdin?.write(`${sign === "+" ? "c" : "d"} ${container.name} ${container.runtime}\n`);
  }

  return {
    /** Before the first process, so that there is no moment without a watch. */
    prepare(): void {
      if (!onWindows) shell ??= start();
    },
    watch(pid: number, container?: ContainerName): void {
      if (watched.has(pid)) return;
      watched.set(pid, container);
      endAtExit(pid);
      if (!onWindows) notify("+", pid, container);
    },
    release(pid: number): void {
      const container = watched.get(pid);
      if (!watched.delete(pid)) return;
      running.delete(pid);
      if (!onWindows) notify("-", pid, container);
    },
    stop(): void {
      const stopping = shell;
      shell = undefined;
      stopping?.stdin?.end();
    },
  };
}

/** Of all planes in this process. */
const running = new Set<number>();
let isListening = false;

/** The shell comes after us; a process that ends in an error still has this moment. */
function endAtExit(pid: number): void {
  running.add(pid);
  if (!isListening) process.on("exit", () => running.forEach(endGroup));
  isListening = true;
}

function endGroup(pid: number): void {
  try {
    process.kill(onWindows ? pid : -pid, "SIGTERM");
  } catch {
    // It has ended already.
  }
}
