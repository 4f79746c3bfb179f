import { checkRegistered } from "../../config/manifests/check-entry.ts";
import { maskSecrets } from "../../config/secrets/mask.ts";
import type { ToolFunction } from "../../model/calls/provider.ts";
import type { NamedOverlay, ProviderSpec, ToolManifest, ToolOverlay } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";


import type { Registration } from "../../model/plane-tools.ts";
import type { JsonObject } from "../../model/json.ts";

import type { Verbs } from "../../model/verbs.ts";
import type { InjectionSettings } from "./injection-rules.ts";
import { type HandWritten, translateManifests } from "./manifests.ts";

export type HandWrittenParts = {
  publish(translation: ReturnType<typeof translateManifests>): void;
  /** Throws what is wrong with a tool that a program registers. */
  checkTool(given: { readonly [key: string]: unknown }): ToolManifest;
  /** The tools of our own that a configuration has; others of their name stand before them. */
  builtin(config: Config): readonly HandWritten[];
  /** Makes these what is said here about tools of servers. */
  publishOverlays(overlays: ReadonlyMap<string, ToolOverlay>): void;
  /** A program added or replaced a tool, or took it away. */
  onRegistered(manifest: ToolManifest, isThere: boolean): void;
};

export type HandWrittenTools = {
  verbs: Pick<Verbs, "register" | "unregister">;
  /** Takes over what a configuration and its manifests say. */
  apply(config: Config): void;
  /** Takes over what people set while running; it stands before the configuration. */
  keep(tools: readonly HandWritten[]): void;
  /** The same for what they say about tools of servers. */
  keepOverlays(overlays: readonly NamedOverlay[]): void;
  isRegistered(name: string, persona: string | null): boolean;
  run(name: string): ToolFunction | undefined;
  /** Why a provider cannot be used as it is written, or null. */
  trouble(spec: ProviderSpec): string | null;
  /** A provider as callers may see it. */
  show(spec: ProviderSpec): ProviderSpec;
};

/** The tools that people wrote: in the configuration, in manifests, while running, and in the program that runs us. */
export function createHandWritten(parts: HandWrittenParts): HandWrittenTools {
  const { publish, onRegistered, builtin } = parts;
  let ours: readonly HandWritten[] = [];
  let configured: HandWritten[] = [];
  let kept: readonly HandWritten[] = [];
  let work: unknown;
  const registered = new Map<string, HandWritten>();
  const functions = new Map<string, ToolFunction>();
  let injection: InjectionSettings = { everywhere: [], ofServer: () => [] };
  let overlays: { configured: [string, ToolOverlay][]; kept: [string, ToolOverlay][] } = {
    configured: [],
    kept: [],
  };
  const announce = () => {
    const all = [...ours, ...configured, ...kept, ...registered.values()];
    publish({ ...translateManifests(all, injection), work });
  };
  const announceOverlays = () => parts.publishOverlays(new Map([...overlays.configured, ...overlays.kept]));

  return {
    apply(config) {
      const { tools, fromManifests } = config;
      ours = builtin(config);
      const { skills, tasks, jobs } = fromManifests;
      work = [skills, tasks, jobs];
      const inFiles = fromManifests.tools.map(({ file: _, source, ...manifest }) => ({ manifest, source }));
      configured = [...inFiles, ...Object.values(tools).map((manifest) => ({ manifest, source: "config" }))];
      const { inject, servers } = config;
      injection = { everywhere: inject, ofServer: (server) => servers[server]?.inject ?? [] };
      overlays = { ...overlays, configured: Object.entries(config.overlays) };
      announce();
      announceOverlays();
    },
    keepOverlays(set) {
      overlays = { ...overlays, kept: set.map(({ name, ...overlay }) => [name, overlay]) };
      announceOverlays();
    },
    keep(tools) {
      if (tools.length === 0 && kept.length === 0) return;
      kept = tools;
      announce();
    },
    isRegistered: (name, persona) => registered.has(keyOf(name, persona ?? undefined)),
    run: (name) => functions.get(name),
    trouble({ name, unusable, config }) {
      if (unusable !== undefined) return unusable;
      if (name !== "function" || functions.has(String(config.function))) return null;
      return `no function '${config.function}' is registered`;
    },
    show({ base: _, written: __, ...spec }) {
      return spec.name === "mcp" ? spec : { ...spec, config: maskSecrets(spec.config) as JsonObject };
    },
    verbs: { register, unregister },
  };

  function register(registration: Registration): void {
    const { manifest, run } = readRegistration(registration);
    const checked = parts.checkTool(manifest);
    const key = keyOf(checked.name, checked.persona);
    if (run === undefined) functions.delete(key);
    else functions.set(key, run);
    registered.set(key, { manifest: withFunction(checked, key, run !== undefined), source: "library" });
    announce();
    onRegistered(checked, true);
  }

  function unregister(name: string, { persona }: { persona?: string } = {}): boolean {
    const key = keyOf(name, persona);
    functions.delete(key);
    const was = registered.get(key);
    if (was === undefined) return false;
    registered.delete(key);
    announce();
    onRegistered(was.manifest, false);
    return true;
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
