import {
  everyTool,
  type HookEvent,
  type HookSettings,
  hookEvents,
  type LibraryHooks,
} from "../../model/hook.ts";
import { commandHook, functionHook, type Hook } from "./hook.ts";

export type HookSources = {
  /** The file that names a hook of the configuration. */
  fileOf(event: HookEvent, at: number): string | undefined;
  functions: LibraryHooks;
  projectDirectory: string;
  environment: Readonly<Record<string, string | undefined>>;
};

/** The hooks of an event that are there for a tool; a session has none, which is an empty name. */
export type FindHooks = (event: HookEvent, tool: string) => Hook[];

/** First the configured commands, then the functions. The engine is large, and not needed where all are for every tool. */
export async function createFindHooks(settings: HookSettings, sources: HookSources): Promise<FindHooks> {
  const hooks = allHooks(settings, sources);
  const patterns = [...new Set(hooks.map(({ matcher }) => matcher))].filter((one) => one !== everyTool);
  if (patterns.length === 0) return (event) => hooks.filter((hook) => hook.event === event);
  const { createPatternSet } = await import("../../lib/linear-pattern.ts");
  const matchingIn = createPatternSet(patterns);
  return (event, tool) => {
    const matching = new Set([everyTool, ...matchingIn(tool).map((at) => patterns[at])]);
    return hooks.filter((hook) => hook.event === event && matching.has(hook.matcher));
  };
}

function allHooks(
  settings: HookSettings,
  { fileOf, functions, projectDirectory, environment }: HookSources,
): Hook[] {
  return hookEvents.flatMap((event) => [
    ...settings[event].map((hook, at) =>
      commandHook(event, hook, { file: fileOf(event, at), projectDirectory, environment }),
    ),
    ...(functions[event] ?? []).map((hook, at) => functionHook(event, hook, at)),
  ]);
}
