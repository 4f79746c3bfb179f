import { checkRegistered } from "./config/manifests/check-registered.ts";
import { maskSecrets } from "./config/secrets/mask.ts";
import type { Config } from "./model/config.ts";
import type { JsonObject } from "./model/json.ts";
import type { Plane, Registration } from "./model/plane.ts";
import type { ToolFunction } from "./model/provider.ts";
import type { ProviderSpec, ToolManifest } from "./model/tool.ts";
import { type HandWritten, translateManifests } from "./registry/sources/manifests.ts";

type Parts = {
  publish(translation: ReturnType<typeof translateManifests>): void;
  environment: Readonly<Record<string, string | undefined>>;
};

export type HandWrittenTools = {
  verbs: Pick<Plane, "register" | "unregister">;
  /** Takes over what a configuration and its manifests say. */
  apply(config: Config): void;
  run(name: string): ToolFunction | undefined;
  /** Why a provider cannot be used as it is written, or null. */
  trouble(spec: ProviderSpec): string | null;
  /** A provider as callers may see it. */
  show(spec: ProviderSpec): ProviderSpec;
};

/** The tools that people wrote: in the configuration, in manifests, and in the program that runs us. */
export function createHandWritten({ publish, environment }: Parts): HandWrittenTools {
  let configured: HandWritten[] = [];
  const registered = new Map<string, HandWritten>();
  const functions = new Map<string, ToolFunction>();
  const announce = () => publish(translateManifests([...configured, ...registered.values()]));

  return {
    apply({ tools, fromManifests }) {
      const inFiles = fromManifests.tools.map(({ file: _, source, ...manifest }) => ({ manifest, source }));
      configured = [...inFiles, ...Object.values(tools).map((manifest) => ({ manifest, source: "config" }))];
      announce();
    },
    run: (name) => functions.get(name),
    trouble({ name, unusable, config }) {
      if (unusable !== undefined) return unusable;
      if (name !== "function" || functions.has(String(config.function))) return null;
      return `no function '${config.function}' is registered`;
    },
    show({ base: _, ...spec }) {
      return spec.name === "mcp" ? spec : { ...spec, config: maskSecrets(spec.config) as JsonObject };
    },
    verbs: { register, unregister },
  };

  function register(registration: Registration): void {
    const { manifest, run } = readRegistration(registration);
    const checked = checkRegistered(manifest, environment);
    const key = keyOf(checked.name, checked.persona);
    if (run === undefined) functions.delete(key);
    else functions.set(key, run);
    registered.set(key, { manifest: withFunction(checked, key, run !== undefined), source: "library" });
    announce();
  }

  function unregister(name: string, { persona }: { persona?: string } = {}): boolean {
    const key = keyOf(name, persona);
    functions.delete(key);
    const wasThere = registered.delete(key);
    if (wasThere) announce();
    return wasThere;
  }
}

function readRegistration(given: Registration) {
  return "manifest" in given ? given : { manifest: given, run: undefined };
}

function keyOf(name: string, persona: string | undefined): string {
  return persona === undefined ? name : `${persona}/${name}`;
}

/** The provider `function` leads to the function that came with the manifest, unless it names another. */
function withFunction(manifest: ToolManifest, key: string, hasFunction: boolean): ToolManifest {
  const isFunction = ({ name }: { name: string }) => name === "function";
  const providers = manifest.providers.map((spec) =>
    isFunction(spec) ? { ...spec, config: { function: key, ...spec.config } } : spec,
  );
  if (!hasFunction || providers.some(isFunction)) return { ...manifest, providers };
  const own = { name: "function", priority: 100, health_check_interval: 300, config: { function: key } };
  return { ...manifest, providers: [...providers, own] };
}
