import type { createConsole } from "./logging.ts";
import type { installPlatform, PlatformParts } from "./platform.ts";
import type { nameMissingAwaits } from "./promises.ts";
import type { createToolTree } from "./tool-tree.ts";

export type PreludeParts = PlatformParts & {
  createConsole: typeof createConsole;
  createToolTree: typeof createToolTree;
  installPlatform: typeof installPlatform;
  nameMissingAwaits: typeof nameMissingAwaits;
};

type Take = (...texts: string[]) => void;
type Failure = { message: string; code?: string; tool?: string; [field: string]: unknown };
type Answer = { value: unknown; error?: Failure };

/**
 * Runs in the sandbox before a program is known. It keeps its own references to what it needs: a program that replaces
 * JSON or Promise harms itself alone. Gives what begins a program, watches its promise and settles its calls.
 */
export function installPrelude(
  parts: PreludeParts,
  request: Take,
  log: Take,
  done: Take,
  fail: Take,
  compute: (kind: string, json: string) => string,
  names: (path: string) => string,
) {
  const { parse, stringify } = JSON;
  const { Promise, Error, String, Number, Object, Map, Set, RangeError, TypeError } = globalThis;
  const { ArrayBuffer, Symbol } = globalThis;
  const { then } = Promise.prototype;
  const { apply } = Reflect;
  let subject = "what is written as JSON";
  parts.nameMissingAwaits(() => subject);

  class ToolError extends Error {
    override name = "ToolError";
    code: unknown;
    tool: unknown;
    content: unknown;
    structuredContent: unknown;

    constructor({ message, code, tool, content, structuredContent }: Failure) {
      super(message);
      Object.assign(this, { code, tool, content, structuredContent });
    }
  }

  /** What JSON would write as {}, or not at all. */
  function written(_key: string, value: unknown): unknown {
    if (typeof value === "bigint") return String(value);
    if (value === null || typeof value !== "object") return value;
    if (value instanceof Set) return [...value];
    if (ArrayBuffer.isView(value) && Symbol.iterator in value)
      return [...(value as unknown as Iterable<number>)];
    if (value instanceof Map) {
      const entries = [...value];
      const isNamed = entries.every(([name]) => typeof name === "string");
      return isNamed ? Object.fromEntries(entries) : entries;
    }
    if (value instanceof Error)
      return Object.assign({ name: value.name, message: value.message }, value);
    return value;
  }

  function capitalized(text: string): string {
    return text.slice(0, 1).toUpperCase() + text.slice(1);
  }

  function toJson(what: string, value: unknown): string | undefined {
    const before = subject;
    subject = what;
    try {
      return stringify(value, written);
    } catch (error) {
      if (error instanceof TypeError && error.message === "circular reference")
        error.message = `${capitalized(what)}: a part of it contains itself. Leave that out.`;
      throw error;
    } finally {
      subject = before;
    }
  }

  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  // What is asked in one turn crosses together, or as soon as it is enough for the host to begin with.
  let pendingRequests: string[] = [];

  function flush(): void {
    const requests = pendingRequests;
    pendingRequests = [];
    if (requests.length > 0) request(requests.join("\n"));
  }

  function ask(kind: string, value: unknown): Promise<unknown> {
    // The stack of a later turn does not name the line of the call.
    const { stack } = new Error();
    return new Promise((resolve, reject) => {
      const text = toJson("the arguments", value) ?? "{}";
      last += 1;
      waiting.set(last, (answer) => {
        if (answer.error === undefined) resolve(answer.value);
        else reject(Object.assign(new ToolError(answer.error), { stack }));
      });
      const size = pendingRequests.push(`${last} ${kind} ${text}`);
      if (size === 1) apply(then, Promise.resolve(), [flush]);
      else if (size === 16) flush();
    });
  }

  function settle(json: string): void {
    for (const [id, answer] of parse(json) as [number, Answer][]) {
      const settled = waiting.get(id);
      waiting.delete(id);
      settled?.(answer);
    }
  }

  const toolTree = parts.createToolTree({
    names,
    call: (path, args, options) =>
      orAborted(() => ask("call", { path, arguments: args }), options?.signal),
  });

  function render(value: unknown): string {
    if (typeof value === "string") return value;
    if (value instanceof Promise)
      return "a promise (put 'await' before the call that it comes from)";
    const place = toolTree.describe(value);
    if (place !== undefined) return place;
    if (value instanceof Error)
      return String(value.stack ? `${value.name}: ${value.message}` : value);
    try {
      return toJson("what is logged", value) ?? String(value);
    } catch (error) {
      return error instanceof TypeError ? `(${error.message})` : String(value);
    }
  }

  const storedValues = new Map<string, unknown>();
  const store = Object.freeze({
    get: (key: unknown) => storedValues.get(String(key)),
    set(key: unknown, value: unknown) {
      const before = storedValues.get(String(key));
      storedValues.set(String(key), parse(stringify(value) ?? "null"));
      if (stringify(Object.fromEntries(storedValues)).length <= 65536) return;
      storedValues.set(String(key), before);
      throw new RangeError("store keeps 64 KB in all: keep less, such as ids.");
    },
    delete: (key: unknown) => storedValues.delete(String(key)),
    keys: () => [...storedValues.keys()],
  });
  const globals = {
    tools: toolTree.tools,
    search: (query: unknown, limit: unknown) => ask("search", { query: String(query), limit }),
    sleep: (ms: unknown) => ask("sleep", Number(ms)),
    console: parts.createConsole((level, text) => void log(level, text), render),
    store,
    ToolError,
  };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value });
  const { begin, orAborted } = parts.installPlatform(parts, { compute, ask, log });

  function failWith(thrown: unknown): void {
    if (thrown instanceof Promise) return fail("Error", "The program threw a promise.", "", "");
    if (thrown === null || typeof thrown !== "object") return fail("Error", String(thrown), "", "");
    const error: Partial<Error> = thrown;
    const details =
      error instanceof ToolError ? stringify({ code: error.code, tool: error.tool }) : "";
    const hasMessage = error instanceof Error || error.message !== undefined;
    const description = hasMessage ? String(error.message) : stringify(error, written);
    const cause = error.cause instanceof Error ? ` (because of ${render(error.cause)})` : "";
    fail(String(error.name ?? "Error"), description + cause, String(error.stack ?? ""), details);
  }

  function finish(value: unknown): void {
    try {
      flush();
      const returned = toJson("the returned value", value) ?? "null";
      done(returned, stringify(Object.fromEntries(storedValues)));
    } catch (error) {
      failWith(error);
    }
  }

  function refuse(error: unknown): void {
    try {
      failWith(error);
    } catch {
      fail("Error", "The program threw a value that cannot be described.", "", "");
    }
  }

  return {
    begin(storeText: string, seeds: string): void {
      for (const [key, value] of Object.entries(parse(storeText))) storedValues.set(key, value);
      begin(parse(seeds));
    },
    watch: (program: Promise<unknown>) => apply(then, program, [finish, refuse]),
    settle,
  };
}
