import type { ListedServer } from "../catalogue/catalogue.ts";
import { createInventory, rulesFor } from "../catalogue/catalogue.ts";
import { type Environment, expandEnvironment } from "../config/config.ts";
import {
  hiddenBy,
  type InjectionRule,
  type InjectionSource,
  originalOf,
  urlParameterOf,
} from "../model/access/injection.ts";
import type { AccessRequest, Injected, Validated } from "../model/calls/call.ts";
import type { Verdict } from "../model/calls/call-schema.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import type { Config } from "../model/config/config.ts";
import { PlaneError } from "../model/errors.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Principal } from "../model/principal.ts";
import { accessRequestOf } from "./authorize.ts";
import { unlistedTool } from "./targets.ts";

/** Undefined when the system has none for this caller. */
export type ValueFor = (
  parameter: string,
  call: Validated,
) => Json | undefined | Promise<Json | undefined>;

/** Runs after every change to the arguments, so that a caller's or editor's value is overwritten. */
export function inject(call: Validated, valueFor: ValueFor): Injected | Promise<Injected> {
  if (call.tool.injects.length === 0) return withValues(call, {});
  return fill(call, valueFor);
}

async function fill(call: Validated, valueFor: ValueFor): Promise<Injected> {
  const values: [parameter: string, value: Json][] = [];
  for (const parameter of call.tool.injects) {
    const value = await valueFor(parameter, call);
    if (value !== undefined) values.push([parameter, value]);
  }
  return withValues(call, Object.fromEntries(values) as JsonObject);
}

function withValues(call: Validated, values: JsonObject): Injected {
  const injected = call as Injected;
  injected.injected = { values };
  return injected;
}

type Parts = {
  config(): Config;
  /** Makes every server list its tools, or gives up on it. */
  discover(principal: Principal): Promise<void>;
  visibleTo(principal: Principal, request?: AccessRequest): readonly Tool[];
  mayUse(principal: Principal, tool: Tool, request?: AccessRequest): boolean;
  /** Whatever the arguments are. */
  verdictOn(call: Validated, tool: Tool): Promise<Verdict>;
  fixedOf(tool: Tool): JsonObject;
  environment: Environment;
};

type Value = (call: Validated, rule: InjectionRule) => Json | undefined | Promise<Json | undefined>;

export function createInjection(parts: Parts): ValueFor {
  const { config, fixedOf } = parts;
  const render = createInventory();
  const sources: Record<InjectionSource, Value> = {
    user: ({ principal }) => principal.user ?? undefined,
    groups: ({ principal }) => principal.groups,
    persona: ({ principal }) => principal.persona ?? undefined,
    workspace: ({ principal }) => principal.workspace ?? undefined,
    scopes: ({ principal }) => principal.scopes,
    conversation: ({ options }) => options.conversation,
    constant: (_, rule) => (rule.from === "constant" ? rule.value : undefined),
    files: (call, { parameter }) => fileValue(parameter, call),
    inventory,
  };
  const settings = {
    get everywhere() {
      return config().inject;
    },
    ofServer: (server: string) => config().servers[server]?.inject ?? [],
  };

  return (parameter, call) => {
    const rules = rulesFor(call.tool, settings);
    const rule = rules.find((candidate) => candidate.parameter === parameter);
    if (rule) return sources[rule.from](call, rule);
    const file = rules.find(
      (candidate) => candidate.from === "files" && hiddenBy(candidate).includes(parameter),
    );
    if (file) return aboutFile(parameter, file.parameter, call);
    const fixed = fixedOf(call.tool);
    if (!Object.hasOwn(fixed, parameter)) return undefined;
    return reveal(parameter, fixed[parameter], call.tool, parts.environment);
  };

  async function inventory(call: Validated): Promise<Json> {
    const { principal, tool } = call;
    await parts.discover(principal);
    const tools = await usable(call, parts);
    const self = tool.id.server ?? serverOf(tool);
    const serverOptions = self === null ? undefined : config().servers[self]?.inject_options;
    const options = serverOptions ?? config().inject_options;
    return render(tools, serversFor(call, tools, parts), options, self);
  }
}

/** Variables are filled in only here, so that no listing holds their values. */
function reveal(
  parameter: string,
  value: Json | undefined,
  { name }: Tool,
  environment: Environment,
) {
  return expandEnvironment(value, environment, (variable) => {
    const text = `Argument '${parameter}' of '${name}' is fixed to the variable ${variable}, which is not set. Set it for the process that runs the plane.`;
    throw new PlaneError("CONFIG_INVALID", text, { data: { tool: name, variable } });
  }) as Json | undefined;
}

/** A planner is offered no tool that policy would deny. */
async function usable(call: Validated, parts: Parts): Promise<Tool[]> {
  const offered = parts
    .visibleTo(call.principal, accessRequestOf(call.options))
    .filter(({ id }) => id.server !== null);
  const verdicts = await Promise.all(offered.map((tool) => parts.verdictOn(call, tool)));
  return offered.filter((_, index) => verdicts[index]?.verdict !== "deny");
}

function serversFor(
  { principal, options }: Validated,
  tools: readonly Tool[],
  parts: Parts,
): ListedServer[] {
  const offering = new Set(tools.map(({ id }) => id.server));
  const visibleServers = new Set(parts.visibleTo(principal).map(({ id }) => id.server));
  return Object.entries(parts.config().servers)
    .filter(([name, definition]) => {
      if (visibleServers.has(name)) return offering.has(name);
      const tool = unlistedTool(name, definition, name);
      return parts.mayUse(principal, tool, accessRequestOf(options)) && definition.enabled;
    })
    .map(([name, { description = "" }]) => ({ name, description }));
}

function serverOf({ providers }: Tool): string | null {
  const server = providers.find(({ name }) => name === "mcp")?.config.server;
  return typeof server === "string" ? server : null;
}

/** Addresses in place of the caller's file names. Undefined where none is known: then the value goes out as it is. */
export function fileValue(parameter: string, { input, files = {} }: Validated): Json | undefined {
  const fileNames = memberNamed(input.arguments, parameter);
  const address = (name: Json) => (typeof name === "string" ? memberNamed(files, name) : undefined);
  if (!Array.isArray(fileNames)) return fileNames === undefined ? undefined : address(fileNames);
  if (!fileNames.some((name) => address(name) !== undefined)) return undefined;
  return fileNames.map((name) => address(name) ?? name);
}

/** Its name or its address, where the tool declares a parameter for it. */
export function aboutFile(declared: string, parameter: string, call: Validated): Json | undefined {
  if (declared === urlParameterOf(parameter)) return fileValue(parameter, call);
  if (declared !== originalOf(parameter)) return undefined;
  return memberNamed(call.input.arguments, parameter);
}

function memberNamed<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
