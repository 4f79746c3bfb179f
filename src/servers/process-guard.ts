import { type ChildProcess, spawn } from "node:child_process";

/** Ends the process groups that are left when we are gone, however we went. A shell starts fast and is small. */
const script = `
groups=" "
while read -r sign group; do
  case "$sign$groups" in
    +*) groups="$groups$group " ;;
    *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;;
  esac
done
for group in $groups; do kill -TERM -"$group" 2>/dev/null; done
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
  const watched = new Set<number>();

  function start(): ChildProcess {
    // In a session of its own, so that the terminal does not end it before us.
    const started = spawn("/bin/sh", ["-c", script], { stdio: ["pipe", "ignore", "ignore"], detached: true });
    started.on("error", () => undefined);
    // Restarted when it was killed.
    started.on("exit", () => {
      if (shell !== started) return;
      shell = undefined;
      setTimeout(() => watched.forEach((pid) => void tell("+", pid)), againAfterMs).unref();
    });
    started.stdin?.on("error", () => undefined);
    started.unref();
    (started.stdin as unknown as { unref(): void } | null)?.unref();
    return started;
  }

  function tell(sign: "+" | "-", pid: number): void {
    shell ??= start();
    shell.stdin?.write(`${sign} ${pid}\n`);
  }

  return {
    /** Before the first process, so that there is no moment without a watch. */
    prepare(): void {
      if (!onWindows) shell ??= start();
    },
    watch(pid: number): void {
      watched.add(pid);
      endAtExit(pid);
      if (!onWindows) tell("+", pid);
    },
    release(pid: number): void {
      if (!watched.delete(pid)) return;
      running.delete(pid);
      if (!onWindows) tell("-", pid);
    },
    stop(): void {
      const last = shell;
      shell = undefined;
      last?.stdin?.end();
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
