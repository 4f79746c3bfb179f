import { join } from "node:path";

const script = join(import.meta.dirname, "..", "light-server.sh");

type Kind = "plain" | "helper" | "stubborn";
type Entry = { command: string; args: string[]; env: Record<string, string> };

/** Where a server is found in the list of processes: by the run and by its own name. */
export const markOf = (run: string, server: string): string => `${run}:${server}:`;

function entry(run: string, server: string, kind: Kind, wrapped = false): Entry {
  const mark = markOf(run, server);
  const start = [script, mark, kind];
  // Two commands, so that the shell cannot replace itself with the server: a parent with a child that serves.
  const args = wrapped ? ["-c", 'sh "$@"; exit $?', mark, ...start] : start;
  return { command: "sh", args, env: { TOOLPLANE_BENCH_MARK: mark } };
}

/** Ten servers as they are met: alone, started by a wrapper as npx does, with a process of their own. */
export function tenServers(run: string): Record<string, Entry> {
  const names = Array.from({ length: 10 }, (_, at) => `s${at}`);
  return Object.fromEntries(
    names.map((name, at) => [
      name,
      entry(run, name, at % 3 === 2 ? "helper" : "plain", at % 3 === 1),
    ]),
  );
}

/** One that ignores the end of its input and every polite signal. */
export function stubbornServer(run: string): Record<string, Entry> {
  return { stubborn: entry(run, "stubborn", "stubborn") };
}
