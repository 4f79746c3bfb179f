import { platform } from "./platform.ts";

/**
 * Runs in the sandbox before the program. It keeps its own references to what it needs: a program that replaces JSON or Promise harms itself alone.
 * Evaluates to a function that takes the bridge and returns what watches the program's promise and what settles its calls.
 */
export const prelude = `(function (request, log, done, fail, compute, names, storeText) {
  const { parse, stringify } = JSON;
  const { Proxy, Promise, Error, String, Number, Object, Map, RangeError, TypeError, Array } = globalThis;
  const { then } = Promise.prototype;
  const apply = Reflect.apply;
  delete globalThis.performance;

  class ToolError extends Error {
    constructor({ message, code, tool, content, structuredContent }) {
      super(message);
      this.name = "ToolError";
      Object.assign(this, { code, tool, content, structuredContent });
    }
  }
  const waiting = new Map();
  let last = 0;
  const ask = (kind, value) => {
    // The stack of a later turn does not name the line of the call.
    const { stack } = new Error();
    return new Promise((resolve, reject) => {
      const text = stringify(value) ?? "{}";
      last += 1;
      waiting.set(last, (json) => {
        const answer = parse(json);
        if (answer.error === undefined) resolve(answer.value);
        else reject(Object.assign(new ToolError(answer.error), { stack }));
      });
      request(last + " " + kind + " " + text);
    });
  };
  const settle = (id, json) => {
    const settled = waiting.get(id);
    waiting.delete(id);
    settled(json);
  };
  // What there is, at the place that a path leads to. The host is asked once for each place.
  const listed = new Map();
  const namesAt = (path) => {
    const key = stringify(path);
    if (!listed.has(key)) listed.set(key, parse(names(key)));
    return listed.get(key);
  };
  const callable = (path) => new Proxy(() => {}, {
    get: (_target, name) => typeof name === "string" && name !== "then" ? callable([...path, name]) : undefined,
    apply: (_target, _self, [args = {}]) => ask("call", { path, arguments: args }),
    ownKeys: () => namesAt(path),
    has: (_target, name) => namesAt(path).includes(name),
    getOwnPropertyDescriptor: (_target, name) => namesAt(path).includes(name)
      ? { value: callable([...path, name]), enumerable: true, configurable: true }
      : undefined,
    set: () => false, defineProperty: () => false, deleteProperty: () => false, getPrototypeOf: () => null,
  });
  const render = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return String(value.stack ? value.name + ": " + value.message : value);
    try { return stringify(value) ?? String(value); } catch { return String(value); }
  };
  const logger = (level) => (...values) => void log(level, values.map(render).join(" "));
  const kept = new Map(Object.entries(parse(storeText)));
  const store = Object.freeze({
    get: (key) => kept.get(String(key)),
    set: (key, value) => {
      const before = kept.get(String(key));
      kept.set(String(key), parse(stringify(value) ?? "null"));
      if (stringify(Object.fromEntries(kept)).length <= 65536) return;
      kept.set(String(key), before);
      throw new RangeError("store keeps 64 KB in all: keep less, such as ids.");
    },
    delete: (key) => kept.delete(String(key)),
    keys: () => [...kept.keys()],
  });
  const globals = {
    tools: callable([]),
    search: (query, limit) => ask("search", { query: String(query), limit }),
    sleep: (ms) => ask("sleep", Number(ms)),
    console: Object.freeze({ log: logger("log"), info: logger("info"), warn: logger("warn"), error: logger("error"), debug: logger("debug") }),
    store, ToolError,
  };
  for (const name of Object.keys(globals)) Object.defineProperty(globalThis, name, { value: globals[name] });
  ${platform}(compute, ask, log);

  const failWith = (error) => {
    if (error === null || typeof error !== "object") return fail("Error", String(error), "", "");
    const details = error instanceof ToolError ? stringify({ code: error.code, tool: error.tool }) : "";
    fail(String(error.name ?? "Error"), String(error.message ?? ""), String(error.stack ?? ""), details);
  };
  // A promise would be written as {}.
  const noPromise = (key, value) => {
    if (!(value instanceof Promise)) return typeof value === "bigint" ? String(value) : value;
    const place = key === "" ? "The returned value" : "'" + key + "' of the returned value";
    throw new TypeError(place + " is a promise. Put 'await' before the call that it comes from, or use Promise.all for a list.");
  };
  const watch = (program) => apply(then, program, [
    (value) => {
      try {
        done(stringify(value, noPromise) ?? "null", stringify(Object.fromEntries(kept)));
      } catch (error) { failWith(error); }
    },
    (error) => { try { failWith(error); } catch { fail("Error", "The program threw a value that cannot be described.", "", ""); } },
  ]);
  return { watch, settle };
})`;
