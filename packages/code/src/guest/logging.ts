import type { Log } from "./timers.ts";

type Render = (value: unknown) => string;

/** A console that writes lines of text. */
export function createConsole(write: Log, render: Render) {
  const { Map, Object, String, Number, Date, Math } = globalThis;
  const counts = new Map<unknown, number>();
  const started = new Map<unknown, number>();
  let depth = 0;

  function whole(value: unknown): string {
    return String(Math.trunc(Number(value)));
  }

  const numbers: Readonly<Record<string, Render>> = {
    d: whole,
    i: whole,
    f: (value) => String(Number(value)),
  };

  function format(values: readonly unknown[]): string {
    const [template, ...unformatted] = values;
    if (typeof template !== "string" || !template.includes("%"))
      return values.map(render).join(" ");
    const text = template.replace(/%([sdifjoOc%])/g, (placeholder, kind: string) => {
      if (kind === "%") return "%";
      if (unformatted.length === 0) return placeholder;
      const value = unformatted.shift();
      return kind === "c" ? "" : (numbers[kind] ?? render)(value);
    });
    return [text, ...unformatted.map(render)].join(" ");
  }

  function logger(level: string) {
    return (...values: unknown[]) => write(level, "  ".repeat(depth) + format(values));
  }

  function took(label: unknown): string {
    return `${label}: ${Date.now() - (started.get(label) ?? Date.now())} ms`;
  }

  const info = logger("log");
  const error = logger("error");

  function group(...values: unknown[]): void {
    if (values.length > 0) info(...values);
    depth += 1;
  }

  return Object.freeze({
    log: info,
    info: logger("info"),
    warn: logger("warn"),
    error,
    debug: logger("debug"),
    dir: (value: unknown) => info(value),
    dirxml: info,
    trace: (...values: unknown[]) => info("Trace:", ...values),
    assert(holds: unknown, ...values: unknown[]) {
      if (!holds) error("Assertion failed", ...values);
    },
    table(rows: unknown) {
      if (rows === null || typeof rows !== "object") return info(rows);
      for (const [key, row] of Object.entries(rows)) info(`${key}: ${render(row)}`);
    },
    group,
    groupCollapsed: group,
    groupEnd() {
      depth = Math.max(0, depth - 1);
    },
    count(label: unknown = "default") {
      const count = (counts.get(label) ?? 0) + 1;
      counts.set(label, count);
      info(`${label}: ${count}`);
    },
    countReset: (label: unknown = "default") => void counts.delete(label),
    time: (label: unknown = "default") => void started.set(label, Date.now()),
    timeLog: (label: unknown = "default", ...values: unknown[]) => info(took(label), ...values),
    timeEnd(label: unknown = "default") {
      info(took(label));
      started.delete(label);
    },
    clear: () => undefined,
  });
}
