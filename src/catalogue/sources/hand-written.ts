import { maskSecrets } from "../../config/config.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { hiddenBy } from "../../model/access/injection.ts";
import type { ToolFunction } from "../../model/calls/provider.ts";
import type {
  NamedOverlay,
  ProviderSpec,
  ToolManifest,
  ToolOverlay,
} from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import type { JsonObject, UnknownObject } from "../../model/json.ts";
import type { Registration } from "../../model/plane-tools.ts";
import { applyRules, type InjectionSettings, rulesFor } from "./injection.ts";
import type { NamelessTool, Translation } from "./mcp.ts";

/** A manifest and its source: the configuration, a manifest file, the store or a program. */
export type HandWritten = { manifest: ToolManifest; source: string };

const noInjection: InjectionSettings = { everywhere: [], ofServer: () => [] };

/** Copies, because the registry freezes its tools. Of two with one name and one owner the last counts. */
export function translateManifests(
  handWritten: readonly HandWritten[],
  injection: InjectionSettings = noInjection,
): Translation {
  const tools = new Map(
    handWritten.map(({ manifest, source }) => [
      JSON.stringify([manifest.persona ?? null, manifest.name, manifest.workspaces ?? []]),
      translate(structuredClone(manifest), source, injection),
    ]),
  );
  return { tools: [...tools.values()], rejected: [] };
}

function translate(
  {
    name,
    description,
    parameters,
    arguments: localArguments,
    providers: declaredProviders,
    persona,
    ...metadata
  }: ToolManifest,
  source: string,
  injection: InjectionSettings,
): NamelessTool {
  const id = { server: null, tool: name };
  const providers = declaredProviders as ProviderSpec[];
  const rules = rulesFor({ id, providers }, injection);
  return {
    id,
    description,
    ...applyRules(parameters as JsonObject, rules),
    reserved: rules.flatMap(hiddenBy),
    ...withoutUndefined({ local: localArguments }),
    annotations: {},
    trusted: true,
    metadata,
    consent: "explicit",
    groups: [],
    persona: persona ?? null,
    providers,
    source,
  };
}

type HandWrittenPorts = {
  publish(translation: Translation): void;
  publishOverlays(overlays: ReadonlyMap<string, ToolOverlay>): void;
  /** Throws where a program registers what is no tool. */
  checkTool(definition: { readonly [key: string]: unknown }): ToolManifest;
  /** The built-in tools under a configuration; others of the same name replace them. */
  builtin(config: Config): readonly HandWritten[];
  onRegistered(manifest: ToolManifest, isRegistered: boolean): void;
};

export type HandWrittenTools = ReturnType<typeof createHandWritten>;

export function createHandWritten({
  publish,
  publishOverlays,
  checkTool,
  builtin,
  onRegistered,
}: HandWrittenPorts) {
  let configured: HandWritten[] = [];
  let stored: readonly HandWritten[] = [];
  /** By the source that lists them. */
  const added = new Map<string, readonly HandWritten[]>();
  let work: unknown;
  let injection = noInjection;
  const overlays: Record<"configured" | "stored", [string, ToolOverlay][]> = {
    configured: [],
    stored: [],
  };
  const announce = () =>
    publish({
      ...translateManifests(
        [...[...added.values()].flat(), ...configured, ...stored, ...registrations.all()],
        injection,
      ),
      work,
    });
  const registrations = createRegistrations(checkTool, (manifest, isRegistered) => {
    announce();
    onRegistered(manifest, isRegistered);
  });
  const announceOverlays = () =>
    publishOverlays(new Map([...overlays.configured, ...overlays.stored]));

  return {
    ...registrations,
    apply(config: Config): void {
      const { tools, fromManifests, inject, servers } = config;
      const { skills, tasks, jobs } = fromManifests;
      work = [skills, tasks, jobs];
      configured = [
        ...builtin(config),
        ...fromManifests.tools.map(({ file: _, source, ...manifest }) => ({ manifest, source })),
        ...Object.values(tools).map((manifest) => ({ manifest, source: "config" })),
      ];
      injection = { everywhere: inject, ofServer: (server) => servers[server]?.inject ?? [] };
      overlays.configured = Object.entries(config.overlays);
      announce();
      announceOverlays();
    },
    /** The tools that people set; they replace those of the configuration. */
    setStored(tools: readonly HandWritten[]): void {
      if (tools.length === 0 && stored.length === 0) return;
      stored = tools.map(({ manifest, source }) => ({ manifest: judged(manifest), source }));
      announce();
    },
    /** The tools of an extension; others of the same name replace them. What is no tool is left out. */
    setAdded(
      source: string,
      manifests: readonly UnknownObject[],
      onWrong: (why: string, index: number) => void,
    ): void {
      const tools = manifests.flatMap((definition, index) => {
        try {
          return [{ manifest: checkTool(definition), source }];
        } catch (thrown) {
          onWrong(errorText(thrown), index);
          return [];
        }
      });
      if (tools.length === 0) added.delete(source);
      else added.set(source, tools);
      announce();
    },
    setStoredOverlays(set: readonly NamedOverlay[]): void {
      overlays.stored = set.map(({ name, ...overlay }) => [name, overlay]);
      announceOverlays();
    },
    show({ base: _, written: __, isJudged: ___, ...spec }: ProviderSpec): ProviderSpec {
      if (spec.name === "mcp") return spec;
      return { ...spec, config: maskSecrets(spec.config) as JsonObject };
    },
  };
}

function judged(manifest: ToolManifest): ToolManifest {
  return {
    ...manifest,
    providers: manifest.providers.map((spec) => ({ ...spec, isJudged: true })),
  };
}

function createRegistrations(
  checkTool: HandWrittenPorts["checkTool"],
  onChange: HandWrittenPorts["onRegistered"],
) {
  const registered = new Map<string, HandWritten>();
  const functions = new Map<string, ToolFunction>();
  return {
    all: () => registered.values(),
    register(registration: Registration): void {
      const { manifest, run } =
        "manifest" in registration ? registration : { manifest: registration, run: undefined };
      const checked = checkTool(manifest);
      const key = keyOf(checked.name, checked.persona);
      if (run === undefined) functions.delete(key);
      else functions.set(key, run);
      registered.set(key, {
        manifest: withFunction(checked, key, run !== undefined),
        source: "library",
      });
      onChange(checked, true);
    },
    unregister(name: string, { persona }: { persona?: string } = {}): boolean {
      const key = keyOf(name, persona);
      functions.delete(key);
      const previous = registered.get(key);
      if (previous === undefined) return false;
      registered.delete(key);
      onChange(previous.manifest, false);
      return true;
    },
    isRegistered: (name: string, persona: string | null) =>
      registered.has(keyOf(name, persona ?? undefined)),
    run: (name: string): ToolFunction | undefined => functions.get(name),
    trouble({ name, unusable, config }: ProviderSpec): string | null {
      if (unusable !== undefined) return unusable;
      if (name !== "function" || functions.has(String(config.function))) return null;
      return `no function '${config.function}' is registered`;
    },
  };
}

function keyOf(name: string, persona: string | undefined): string {
  return persona === undefined ? name : `${persona}/${name}`;
}

/** The provider `function` calls the function that came with the manifest, unless it names another. */
function withFunction(manifest: ToolManifest, key: string, hasFunction: boolean): ToolManifest {
  const isFunction = ({ name }: { name: string }) => name === "function";
  const providers = manifest.providers.map((spec) =>
    isFunction(spec) ? { ...spec, config: { function: key, ...spec.config } } : spec,
  );
  if (!hasFunction || providers.some(isFunction)) return { ...manifest, providers };
  const ownProvider = {
    name: "function",
    priority: 100,
    health_check_interval: 300,
    config: { function: key },
  };
  return { ...manifest, providers: [...providers, ownProvider] };
}
