import * as z from "zod/mini";
import { sameJson, withoutUndefined } from "../lib/json/plain-data.ts";
import { nearest } from "../lib/text/nearest.ts";
import { builtInKinds, namedKinds } from "../model/calls/provider-kinds.ts";
import type { ProviderSpec, ToolManifest } from "../model/catalogue/tool.ts";
import { describeIssue, typeName, valueAtIssue } from "../model/config/describe-issue.ts";
import { type JsonObject, type Path, renderPath } from "../model/json.ts";
import type { Environment } from "./environment.ts";
import { addedProviders } from "./extensions/added-kinds.ts";
import { expandEnvironment } from "./secrets/references.ts";

export type Report = (path: Path, message: string, hint?: string | null) => void;

/** The value as its schema has it; undefined after everything that is wrong with it was reported. */
export function parseValue<S extends z.core.$ZodType>(
  schema: S,
  value: unknown,
  path: Path,
  report: Report,
): z.output<S> | undefined {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const inner = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
    if (issue.code === "unrecognized_keys")
      reportKeys(issue.keys, keysAt(schema, inner), [...path, ...inner], report);
    else report([...path, ...inner], ...messageOf(issue, value));
  }
  return undefined;
}

function messageOf(issue: z.core.$ZodIssue, value: unknown): [message: string, hint?: string] {
  const isMissing = issue.code === "invalid_type" && valueAtIssue(value, issue.path) === undefined;
  const description = describeIssue(issue, value);
  if (isMissing) return [description, `Add it as ${typeName(issue.expected)}.`];
  return [description];
}

function reportKeys(
  unknown: readonly string[],
  knownKeys: readonly string[],
  path: Path,
  report: Report,
): void {
  for (const key of unknown) {
    const near = nearest(key, knownKeys).map((candidate) => `'${candidate}'`);
    const hint =
      near.length === 0
        ? `It can have ${knownKeys.join(", ")}.`
        : `Did you mean ${near.join(" or ")}?`;
    report([...path, key], `unknown key '${key}'`, knownKeys.length === 0 ? null : hint);
  }
}

/** The keys of the object that a path leads to; none where it leads elsewhere. */
function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  let definition = definitionOf(schema);
  for (const part of path)
    definition = definitionOf(definition.shape?.[part] ?? definition.element);
  // Of several forms, the one that is an object.
  const forms = [definition, ...(definition.options ?? []).map(definitionOf)];
  return Object.keys(forms.find(({ shape }) => shape !== undefined)?.shape ?? {});
}

type Definition = {
  shape?: Record<string | number, z.core.$ZodType>;
  element?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
  options?: readonly z.core.$ZodType[];
};

function definitionOf(schema: z.core.$ZodType | undefined): Definition {
  const definition = (schema?._zod.def ?? {}) as Definition;
  if (definition.innerType === undefined) return definition;
  return definitionOf(definition.innerType);
}

export function unsetHint(variable: string): string {
  return `Set it or write \${${variable}:-default}.`;
}

type Context = {
  environment: Environment;
  directory: string;
  report: Report;
  /** What is worth a look and may be right: a program can register a kind of its own. */
  warn?: Report;
};

/** Marks the providers that cannot be used as they are written; the others of the tool can. */
export function checkProviders(manifest: ToolManifest, context: Context): ToolManifest {
  const providers = manifest.providers.map((spec, index) => checkProvider(spec, index, context));
  return { ...manifest, providers };
}

function checkProvider(writtenSpec: ProviderSpec, index: number, context: Context): ProviderSpec {
  const { unusable: _, base: __, written: ___, isJudged: ____, ...spec } = writtenSpec;
  let unusable: string | undefined;
  const report: Report = (path, message, hint = null) => {
    const location = renderPath(path.slice(3));
    // With a colon behind a key, what follows would be hidden as a secret.
    unusable ??= location === "" ? `its configuration: ${message}` : `in '${location}', ${message}`;
    context.report(path, message, hint);
  };
  const path = ["providers", index, "config"];
  const config = expandEnvironment(
    spec.config,
    context.environment,
    (variable, field) =>
      report(
        [...path, ...field],
        `environment variable ${variable} is not set`,
        unsetHint(variable),
      ),
    ({ message, hint }, field) => report([...path, ...field], message, hint),
  ) as JsonObject;
  const facts = builtInKinds.get(spec.name);
  if (!facts && !addedProviders.has(spec.name))
    context.warn?.(["providers", index, "name"], ...unknownProvider(spec.name));
  const schema = facts?.schema;
  if (schema && unusable === undefined) parseValue(schema, config, path, report);
  return {
    ...spec,
    // Names of servers and tools are no secrets, and others look them up.
    ...(spec.name === "mcp" ? configAndWritten(spec.config, config) : { base: context.directory }),
    ...withoutUndefined({ unusable }),
  } as ProviderSpec;
}

function unknownProvider(kind: string): [message: string, hint: string] {
  const knownKinds = [...namedKinds, ...addedProviders];
  const near = nearest(kind, knownKinds).map((candidate) => `'${candidate}'`);
  const suggestion = near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `;
  const otherSources = "an extension names others in its 'providers', and a program registers them";
  const exception = addedProviders.size === 0 ? "" : ", nor one of an extension";
  return [
    `'${kind}' is not a built-in provider kind${exception}`,
    `${suggestion}Known are ${knownKinds.join(", ")}; ${otherSources}.`,
  ];
}

function configAndWritten(
  written: JsonObject,
  config: JsonObject,
): Pick<ProviderSpec, "config" | "written"> {
  if (sameJson(written, config)) return { config };
  return { config, written };
}
