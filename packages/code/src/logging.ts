/** Runs in the sandbox: a console that writes lines of text. `write` takes a level and a text, `render` makes a text of a value. */
export const consoleSource = `(function (write, render) {
  const { Map, Object, Array, String, Number, Date, Error } = globalThis;
  const counts = new Map();
  const started = new Map();
  let depth = 0;
  const numbers = { d: (value) => String(Math.trunc(Number(value))), i: (value) => String(Math.trunc(Number(value))), f: (value) => String(Number(value)) };
  const format = (values) => {
    if (typeof values[0] !== "string" || !values[0].includes("%")) return values.map(render).join(" ");
    const unformatted = values.slice(1);
    const text = values[0].replace(/%([sdifjoOc%])/g, (placeholder, kind) => {
      if (kind === "%") return "%";
      if (unformatted.length === 0) return placeholder;
      const value = unformatted.shift();
      return kind === "c" ? "" : (numbers[kind] ?? render)(value);
    });
    return [text, ...unformatted.map(render)].join(" ");
  };
  const logger = (level) => (...values) => write(level, "  ".repeat(depth) + format(values));
  const info = logger("log");
  const took = (label) => label + ": " + (Date.now() - (started.get(label) ?? Date.now())) + " ms";
  const group = (...values) => { if (values.length > 0) info(...values); depth += 1; };
  const methods = {
    log: info, info: logger("info"), warn: logger("warn"), error: logger("error"), debug: logger("debug"), dir: (value) => info(value),
    trace: (...values) => info("Trace:", ...values),
    assert: (holds, ...values) => { if (!holds) logger("error")("Assertion failed", ...values); },
    table: (rows) => {
      if (rows === null || typeof rows !== "object") return info(rows);
      for (const [key, row] of Object.entries(rows)) info(key + ": " + render(row));
    },
    group, groupCollapsed: group, groupEnd: () => { depth = Math.max(0, depth - 1); },
    count: (label = "default") => { counts.set(label, (counts.get(label) ?? 0) + 1); info(label + ": " + counts.get(label)); },
    countReset: (label = "default") => void counts.delete(label),
    time: (label = "default") => void started.set(label, Date.now()),
    timeLog: (label = "default", ...values) => info(took(label), ...values),
    timeEnd: (label = "default") => { info(took(label)); started.delete(label); },
    clear: () => undefined,
  };
  return Object.freeze({ ...methods, dirxml: info });
})`;
