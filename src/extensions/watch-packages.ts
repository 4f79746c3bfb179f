import { nowText } from "../lib/ids-and-time.ts";

type Loader = (() => Promise<unknown>) & { isLeftOut?: boolean };
type Loaders = Readonly<Record<string, Loader>>;

/** A package that comes with the product. `since` is null until something has needed it. */
export type PackageState = { name: string; since: string | null; importMs: number };

/** The same packages. When each was loaded here, and how long that took, is kept. */
export function watchPackages<T extends Loaders>(
  packages: T,
): { packages: T; states(): PackageState[] } {
  const states = new Map<string, PackageState>();
  const watched = Object.entries(packages).map(([name, load]) => {
    if (load.isLeftOut) return [name, load] as const;
    states.set(name, { name, since: null, importMs: 0 });
    const loadOnce = async () => {
      if (states.get(name)?.since !== null) return load();
      const begunAt = performance.now();
      const loaded = await load();
      states.set(name, { name, since: nowText(), importMs: performance.now() - begunAt });
      return loaded;
    };
    return [name, loadOnce] as const;
  });
  return { packages: Object.fromEntries(watched) as T, states: () => [...states.values()] };
}
