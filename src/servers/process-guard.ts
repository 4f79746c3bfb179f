import { type ChildProcess, spawn } from "node:child_process";

/**
 * Ends the process groups that are left when we are gone, however we went. A shell starts in a millisecond and takes
 * next to
 * no memory.
 */
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

export type ProcessGuard = {
  /** Before the first process, so that there is no moment without a watch. */
  prepare(): void;
  watch(pid: number): void;
  release(pid: number): void;
  stop(): void;
};

/** Starts with the first process. Without a shell, children notice by themselves. */
export function createProcessGuard(): ProcessGuard {
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
      setTimeout(watchAgain, againAfterMs).unref();
    });
    started.stdin?.on("error", () => undefined);
    started.unref();
    (started.stdin as unknown as { unref(): void } | null)?.unref();
    return started;
  }

  function watchAgain(): void {
    for (const pid of watched) tell("+", pid);
  }

  function tell(sign: "+" | "-", pid: number): void {
    shell ??= start();
    shell.stdin?.write(`${sign} ${pid}\n`);
  }

  return {
    prepare() {
      if (process.platform !== "win32") shell ??= start();
    },
    watch(pid) {
      if (process.platform === "win32") return;
      watched.add(pid);
      tell("+", pid);
    },
    release(pid) {
      if (watched.delete(pid)) tell("-", pid);
    },
    stop() {
      const last = shell;
      shell = undefined;
      last?.stdin?.end();
    },
  };
}
