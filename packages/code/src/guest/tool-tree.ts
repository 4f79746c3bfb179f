type Path = readonly string[];
type Namespace = () => void;

export type ToolTreePorts = {
  /** What there is at the place that a path leads to, as JSON. */
  names(path: string): string;
  call(path: Path, args: unknown, options: { signal?: unknown } | undefined): unknown;
};

/** `tools` of a program: every place of it can be called, and lists what is behind it. */
export function createToolTree({ names, call }: ToolTreePorts) {
  const { parse, stringify } = JSON;
  const { Map, Proxy, Symbol, WeakMap } = globalThis;
  const listed = new Map<string, string[]>();
  const paths = new WeakMap<object, Path>();
  const isPlainName = /^[A-Za-z_$][\w$]*$/;

  /** The host is asked once for each place. */
  function namesAt(path: Path): string[] {
    const key = stringify(path);
    const known = listed.get(key) ?? (parse(names(key)) as string[]);
    listed.set(key, known);
    return known;
  }

  function describe(path: Path): string {
    const parts = path.map((name) =>
      isPlainName.test(name) ? `.${name}` : `[${stringify(name)}]`,
    );
    return `tools${parts.join("")}`;
  }

  function create(path: Path): Namespace {
    const members = new Map<string, Namespace>();

    function member(name: string): Namespace {
      const created = members.get(name) ?? create([...path, name]);
      members.set(name, created);
      return created;
    }

    const proxy = new Proxy<Namespace>(() => {}, {
      get(_target, name) {
        if (name === Symbol.toPrimitive) return () => describe(path);
        if (name === "toJSON") return () => namesAt(path);
        return typeof name === "string" && name !== "then" ? member(name) : undefined;
      },
      apply: (_target, _self, [args = {}, options]) => call(path, args, options),
      ownKeys: () => namesAt(path),
      has: (_target, name) => namesAt(path).includes(name as string),
      getOwnPropertyDescriptor(_target, name) {
        if (typeof name !== "string" || !namesAt(path).includes(name)) return undefined;
        return { value: member(name), enumerable: true, configurable: true };
      },
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
      getPrototypeOf: () => null,
    });
    paths.set(proxy, path);
    return proxy;
  }

  return {
    tools: create([]),
    /** Undefined for what is no part of it. */
    describe(value: unknown): string | undefined {
      const path = paths.get(value as object);
      return path && `${describe(path)}: ${namesAt(path).join(", ")}`;
    },
  };
}
