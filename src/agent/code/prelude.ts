/**
 * Runs in the sandbox before the program. It keeps its own references to what it needs: a program that replaces JSON or Promise harms itself alone.
 * Evaluates to a function that takes the bridge and returns the function that watches the program's promise.
 */
export const prelude = `(function (request, pause, log, done, fail, storeText) {
  const { parse, stringify } = JSON;
  const { Proxy, Error, String, Number, Object, Map, RangeError } = globalThis;
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
  // The stack of a later turn does not name the line of the call.
  const ask = async (kind, value, { stack } = new Error()) => {
    const answer = parse(await request(kind, stringify(value)));
    if (answer.error !== undefined) throw Object.assign(new ToolError(answer.error), { stack });
    return answer.value;
  };
  const callable = (path) => new Proxy(function () {}, {
    get: (_target, name) => typeof name === "string" && name !== "then" ? callable([...path, name]) : undefined,
    apply: (_target, _self, [args = {}]) => ask("call", { path, arguments: args }),
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
    sleep: async (ms) => { await pause(String(Number(ms))); },
    console: Object.freeze({ log: logger("log"), info: logger("info"), warn: logger("warn"), error: logger("error"), debug: logger("debug") }),
    store, ToolError,
  };
  for (const name of Object.keys(globals)) Object.defineProperty(globalThis, name, { value: globals[name] });

  const failWith = (error) => {
    if (error === null || typeof error !== "object") return fail("Error", String(error), "", "");
    const details = error instanceof ToolError ? stringify({ code: error.code, tool: error.tool }) : "";
    fail(String(error.name ?? "Error"), String(error.message ?? ""), String(error.stack ?? ""), details);
  };
  return (program) => apply(then, program, [
    (value) => {
      try { done(stringify(value) ?? "null", stringify(Object.fromEntries(kept))); } catch (error) { failWith(error); }
    },
    (error) => { try { failWith(error); } catch { fail("Error", "The program threw a value that cannot be described.", "", ""); } },
  ]);
})`;
