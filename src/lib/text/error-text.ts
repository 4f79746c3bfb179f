import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** What someone else's code threw, in its own words. Never throws itself. */
export function errorText(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message);
    return String(thrown);
  } catch {
    return "something that cannot be shown";
  }
}

/**
 * Where in the code of a file a stack begins, for those who can mend it: path, line and column, the path as it is seen
 * from `directory`. Null where that is not known.
 */
export function errorPlace(stack: string, file: string, directory: string): string | null {
  const frames = [...stack.matchAll(placeInStack)].map(([, path = "", at = ""]) => ({
    path: pathOf(path),
    at,
  }));
  const home = file.replace(/[^/\\]*$/, "");
  const isBeside = (path: string) =>
    path.startsWith(home) && !/[/\\]node_modules[/\\]/.test(path.slice(home.length));
  // A frame of ours may come first: what was called wrongly was called in the file.
  const frame =
    frames.find(({ path }) => path === file) ?? frames.find(({ path }) => isBeside(path));
  if (frame === undefined) return null;
  const shownPath = relative(directory, frame.path);
  return `${shownPath.startsWith("..") ? frame.path : shownPath}${frame.at}`;
}

/** The stack as it is, which begins with what was thrown. Never throws itself. */
export function stackOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.stack ?? "");
    return "";
  } catch {
    return "";
  }
}

/** Of a frame, or of the line of a syntax error, which stands alone. */
const placeInStack =
  /(?:^|[( ])(file:\/\/[^\s()]+?|\/[^\n()]+?|[A-Za-z]:\\[^\n()]+?)((?::\d+){1,2})\)?$/gm;

function pathOf(path: string): string {
  if (path.startsWith("file:") && URL.canParse(path)) return fileURLToPath(path);
  return path;
}
