import { sameJson } from "../lib/json/plain-data.ts";
import { HttpProviderConfig, ModelProviderConfig } from "../model/calls/provider-config.ts";
import type { ProviderSpec, ToolManifest } from "../model/catalogue/tool.ts";
import { type JsonObject, renderPath } from "../model/json.ts";
import { parseValue, type Report, unsetHint } from "./parse-value.ts";
import { type Environment, expandEnvironment } from "./secrets/expand-environment.ts";

/** What the kinds we know want to be told. */
const schemas: ReadonlyMap<string, typeof HttpProviderConfig | typeof ModelProviderConfig> = new Map<
  string,
  typeof HttpProviderConfig | typeof ModelProviderConfig
>([
  ["http", HttpProviderConfig],
  ["model", ModelProviderConfig],
]);

type Context = {
  environment: Environment;
  /** Where the file stands that says it. */
  directory: string;
  /** `path` starts inside the manifest. */
  report: Report;
};

/** Marks the providers that cannot be used as they are written; the others of the tool can. */
export function checkProviders(manifest: ToolManifest, context: Context): ToolManifest {
  const providers = manifest.providers.map((spec, at) => checkProvider(spec, at, context));
  return { ...manifest, providers };
}

function checkProvider(written: ProviderSpec, at: number, context: Context): ProviderSpec {
  const { unusable: _, base: __, written: ___, ...spec } = written;
  let unusable: string | undefined;
  const report: Report = (path, message, hint = null) => {
    unusable ??= `${renderPath(path.slice(3)) || "its configuration"}: ${message}`;
    context.report(path, message, hint);
  };
  const path = ["providers", at, "config"];
  const config = expandEnvironment(spec.config, context.environment, (variable, field) =>
    report([...path, ...field], `environment variable ${variable} is not set`, unsetHint(variable)),
  ) as JsonObject;
  const schema = schemas.get(spec.name);
  if (schema && unusable === undefined) parseValue(schema, config, path, report);
  return {
    ...spec,
    // Names of servers and tools are no secrets, and others look them up.
    ...(spec.name === "mcp" ? expanded(spec.config, config) : { base: context.directory }),
    ...(unusable === undefined ? {} : { unusable }),
  } as ProviderSpec;
}

function expanded(written: JsonObject, config: JsonObject): Pick<ProviderSpec, "config" | "written"> {
  return sameJson(written, config) ? { config } : { config, written };
}
