import { PlaneError } from "../../model/errors.ts";
import type { AddedProvider, Provider, ProviderOptions, Unregister } from "../../model/provider.ts";
import type { ProviderSpec } from "../../model/tool.ts";
import { toResult } from "./function.ts";
import { type Reveal, readConfig } from "./read-config.ts";

type AnyProvider = Extract<AddedProvider, (...given: never[]) => unknown>;
type Added = { run: Provider } & ProviderOptions;

export type ProviderKinds = {
  of(kind: string): Provider | undefined;
  known(): string[];
  /** Asks a provider of a kind that was added whether it is there; null where nobody can be asked. */
  check(spec: ProviderSpec, signal: AbortSignal): Promise<void> | null;
  register(kind: string, provider: AddedProvider, options?: ProviderOptions): Unregister;
};

/** The ways to execute a tool: ours, and those that the program beside us adds. The one added last counts. */
export function createProviderKinds(ours: ReadonlyMap<string, Provider>, reveal: Reveal): ProviderKinds {
  const added = new Map<string, Added[]>();
  const current = (kind: string) => added.get(kind)?.at(-1);
  return {
    of: (kind) => ours.get(kind) ?? current(kind)?.run,
    known: () => [...ours.keys(), ...added.keys()].sort(),
    check(spec, signal) {
      const check = current(spec.name)?.check;
      if (check === undefined) return null;
      return ask(spec, async () => void (await check(await inUse(spec, reveal), signal)));
    },
    register(kind, provider, options = {}) {
      refuseWrong(kind, provider, ours);
      const entry = { run: wrap(provider, reveal), ...options };
      added.set(kind, [...(added.get(kind) ?? []), entry]);
      const unregister = () => {
        const before = added.get(kind) ?? [];
        const left = before.filter((one) => one !== entry);
        if (left.length === 0) added.delete(kind);
        else added.set(kind, left);
        return left.length < before.length;
      };
      return Object.assign(unregister, { [Symbol.dispose]: () => void unregister() });
    },
  };
}

function refuseWrong(kind: string, provider: AddedProvider, ours: ReadonlyMap<string, Provider>): void {
  const refuse = (message: string) => {
    throw new PlaneError("USAGE", message, { data: { kind } });
  };
  if (typeof kind !== "string" || kind.trim() === "") refuse("A kind of provider needs a name.");
  if (ours.has(kind))
    refuse(`The provider '${kind}' is one of ours and cannot be replaced. Choose another name.`);
  const isProvider = typeof provider === "function" || typeof provider?.create === "function";
  if (!isProvider)
    refuse(`The provider '${kind}' must be a function, or an object with a function 'create'.`);
}

/** Programs get configurations ready for use, and may answer with any value. */
function wrap(provider: AddedProvider, reveal: Reveal): Provider {
  const make = typeof provider === "function" ? () => provider : createOnce(provider);
  return async (spec, args, context) => {
    const used = await inUse(spec, reveal);
    return ask(spec, async () => toResult(await (await make(spec, used))(used, args, context)));
  };
}

async function ask<T>({ name }: ProviderSpec, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    // What it did before it threw is known to nobody.
    throw new PlaneError("PROVIDER_FAILED", `The provider '${name}' failed: ${message}`, {
      data: { sent: true },
      cause: thrown,
    });
  }
}

/** One for each way of executing that is declared; what could not be made is made again the next time. */
function createOnce({ create }: Extract<AddedProvider, { create: unknown }>) {
  const made = new WeakMap<ProviderSpec, Promise<AnyProvider>>();
  return async (declared: ProviderSpec, used: ProviderSpec): Promise<AnyProvider> => {
    const before = made.get(declared);
    if (before) return before;
    const making = (async () => create(used))();
    made.set(declared, making);
    making.catch(() => made.delete(declared));
    return making;
  };
}

async function inUse(spec: ProviderSpec, reveal: Reveal): Promise<ProviderSpec> {
  const { base: _, ...shown } = spec;
  return { ...shown, config: await readConfig(spec, reveal, (revealed) => revealed) } as ProviderSpec;
}
