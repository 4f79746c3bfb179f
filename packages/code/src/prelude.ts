import { abort } from "./abort.ts";
import { consoleSource } from "./logging.ts";
import { platform } from "./platform.ts";
import { promises } from "./promises.ts";

/**
 * Runs in the sandbox before a program is known. It keeps its own references to what it needs: a program that replaces JSON or Promise harms itself alone.
 * Evaluates to a function that takes the bridge and returns what begins a program, watches its promise and settles its calls.
 */
export const prelude = `(function (request, log, done, fail, compute, names) {
  const { parse, stringify } = JSON;
  const { Proxy, Promise, Error, String, Number, Object, Map, Set, WeakMap, RangeError, TypeError, Array, ArrayBuffer, Symbol } = globalThis;
  const { then } = Promise.prototype;
  const apply = Reflect.apply;
  let subject = "what is written as JSON";
  ${promises}(() => subject);

  class ToolError extends Error {
    constructor({ message, code, tool, content, structuredContent }) {
      super(message);
      this.name = "ToolError";
      Object.assign(this, { code, tool, content, structuredContent });
    }
  }
  // What JSON would write as {}, or not at all.
  const written = (key, value) => {
    if (typeof value === "bigint") return String(value);
    if (value === null || typeof value !== "object") return value;
    if (value instanceof Set || (ArrayBuffer.isView(value) && value[Symbol.iterator])) return [...value];
    if (value instanceof Map) {
      const entries = [...value];
      return entries.every(([name]) => typeof name === "string") ? Object.fromEntries(entries) : entries;
    }
    if (value instanceof Error) return { name: value.name, message: value.message, ...value };
    return value;
  };
  const toJson = (what, value) => {
    const before = subject;
    subject = what;
    try { return stringify(value, written); } catch (error) {
      if (error instanceof TypeError && error.message === "circular reference") error.message = what[0].toUpperCase() + what.slice(1) + ": a part of it contains itself. Leave that out.";
      throw error;
    } finally { subject = before; }
  };
  const waiting = new Map();
  let last = 0;
  // What is asked in one turn crosses together, or as soon as it is enough for the host to begin with.
  let pendingRequests = [];
  const flush = () => {
    const requests = pendingRequests;
    pendingRequests = [];
    if (requests.length > 0) request(requests.join("\\n"));
  };
  const ask = (kind, value) => {
    // The stack of a later turn does not name the line of the call.
    const { stack } = new Error();
    return new Promise((resolve, reject) => {
      const text = toJson("the arguments", value) ?? "{}";
      last += 1;
      waiting.set(last, (answer) => {
        if (answer.error === undefined) resolve(answer.value);
        else reject(Object.assign(new ToolError(answer.error), { stack }));
      });
      const size = pendingRequests.push(last + " " + kind + " " + text);
      if (size === 1) apply(then, Promise.resolve(), [flush]);
      else if (size === 16) flush();
    });
  };
  const settle = (json) => {
    for (const [id, answer] of parse(json)) {
      const settled = waiting.get(id);
      waiting.delete(id);
      settled(answer);
    }
  };
  // What there is, at the place that a path leads to. The host is asked once for each place.
  const listed = new Map();
  const namesAt = (path) => {
    const key = stringify(path);
    if (!listed.has(key)) listed.set(key, parse(names(key)));
    return listed.get(key);
  };
  const callables = new WeakMap();
  const described = (path) => path.reduce((text, name) => text + (/^[A-Za-z_$][\\w$]*$/.test(name) ? "." + name : "[" + stringify(name) + "]"), "tools");
  const callable = (path) => {
    const inner = new Map();
    const member = (name) => {
      if (!inner.has(name)) inner.set(name, callable([...path, name]));
      return inner.get(name);
    };
    const proxy = new Proxy(() => {}, {
      get: (_target, name) => {
        if (name === Symbol.toPrimitive) return () => described(path);
        if (name === "toJSON") return () => namesAt(path);
        return typeof name === "string" && name !== "then" ? member(name) : undefined;
      },
      apply: (_target, _self, [args = {}, options]) => orAborted(() => ask("call", { path, arguments: args }), options?.signal),
      ownKeys: () => namesAt(path),
      has: (_target, name) => namesAt(path).includes(name),
      getOwnPropertyDescriptor: (_target, name) => namesAt(path).includes(name)
        ? { value: member(name), enumerable: true, configurable: true }
        : undefined,
      set: () => false, defineProperty: () => false, deleteProperty: () => false, getPrototypeOf: () => null,
    });
    callables.set(proxy, path);
    return proxy;
  };
  const render = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Promise) return "a promise (put 'await' before the call that it comes from)";
    if (callables.has(value)) return described(callables.get(value)) + ": " + namesAt(callables.get(value)).join(", ");
    if (value instanceof Error) return String(value.stack ? value.name + ": " + value.message : value);
    try { return toJson("what is logged", value) ?? String(value); } catch (error) { return error instanceof TypeError ? "(" + error.message + ")" : String(value); }
  };
  const storedValues = new Map();
  const store = Object.freeze({
    get: (key) => storedValues.get(String(key)),
    set: (key, value) => {
      const before = storedValues.get(String(key));
      storedValues.set(String(key), parse(stringify(value) ?? "null"));
      if (stringify(Object.fromEntries(storedValues)).length <= 65536) return;
      storedValues.set(String(key), before);
      throw new RangeError("store keeps 64 KB in all: keep less, such as ids.");
    },
    delete: (key) => storedValues.delete(String(key)),
    keys: () => [...storedValues.keys()],
  });
  const globals = {
    tools: callable([]),
    search: (query, limit) => ask("search", { query: String(query), limit }),
    sleep: (ms) => ask("sleep", Number(ms)),
    console: ${consoleSource}((level, text) => void log(level, text), render),
    store, ToolError,
  };
  for (const name of Object.keys(globals)) Object.defineProperty(globalThis, name, { value: globals[name] });
  const begin = ${platform}(compute, ask, log);
  const orAborted = ${abort}(setTimeout);

  const failWith = (error) => {
    if (error instanceof Promise) return fail("Error", "The program threw a promise.", "", "");
    if (error === null || typeof error !== "object") return fail("Error", String(error), "", "");
    const details = error instanceof ToolError ? stringify({ code: error.code, tool: error.tool }) : "";
    const description = error instanceof Error || error.message !== undefined ? String(error.message) : stringify(error, written);
    const cause = error.cause instanceof Error ? " (because of " + render(error.cause) + ")" : "";
    fail(String(error.name ?? "Error"), description + cause, String(error.stack ?? ""), details);
  };
  const watch = (program) => apply(then, program, [
    (value) => {
      try {
        flush();
        done(toJson("the returned value", value) ?? "null", stringify(Object.fromEntries(storedValues)));
      } catch (error) { failWith(error); }
    },
    (error) => { try { failWith(error); } catch { fail("Error", "The program threw a value that cannot be described.", "", ""); } },
  ]);
  return {
    begin: (storeText, seeds) => {
      for (const [key, value] of Object.entries(parse(storeText))) storedValues.set(key, value);
      begin(parse(seeds));
    },
    watch,
    settle,
  };
})`;
