/** Which program runs, what it loads, where it connects: variables that act on a program before it reads its arguments. */
const acting = new RegExp(
  `^(?:${[
    "(?:LD|DYLD|DOCKER|BUILDKIT|BUILDX|CONTAINERS?|PODMAN|XDG|SSH|SSL|GIO|GCONV|MALLOC|BASH_FUNC)_.*",
    "PATH|HOME|SHELL|ENV|BASH_ENV|IFS|TMPDIR|TEMP|TMP|GODEBUG|NODE_OPTIONS|PYTHONPATH|PYTHONSTARTUP|COMSPEC|PATHEXT",
    "(?:HTTPS?|NO|ALL)_PROXY|STORAGE_.*|GRPC_.*",
  ].join("|")})$`,
  "i",
);

/** Would this variable, meant for a server inside a container, act on the runtime's client outside of it? */
export function actsOnTheHost(variable: string): boolean {
  return acting.test(variable);
}
