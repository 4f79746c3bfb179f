import type { HandWrittenTools } from "../../catalogue/sources/hand-written.ts";
import { revealConfig } from "../../config/secrets/reveal-config.ts";
import type { ConfigValues } from "../../model/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Provider } from "../../model/provider.ts";
import type { ProviderSpec } from "../../model/tool.ts";
import type { Servers } from "../../servers/servers.ts";
import { createFunctionProvider } from "./function.ts";
import { createHttpProvider } from "./http.ts";
import { createProviderKinds, type ProviderKinds } from "./kinds.ts";
import { createMcpProvider } from "./mcp.ts";
import { endpointOf, type ModelEndpoint, modelTrouble } from "./model/endpoint.ts";

type Parts = {
  servers: Servers;
  handWritten: HandWrittenTools;
  environment: Readonly<Record<string, string | undefined>>;
  /** Executes the tools that come with the plane. */
  builtin: Provider;
  models(): ConfigValues["models"];
  /** The file that defines a model; its references to files start there. */
  fileOfModel(name: string): string | undefined;
};

export type Providers = Pick<ProviderKinds, "of" | "register"> & {
  /** Why a provider cannot be used, or null. */
  trouble(spec: ProviderSpec): string | null;
  /** Asks whether it is there, where it can be asked; rejects with why it is not. */
  check(spec: ProviderSpec, signal: AbortSignal): Promise<unknown> | null;
};

/** Who can execute tools here, and why one of them cannot. */
export function createProviders(parts: Parts): Providers {
  const { servers, handWritten, environment, models } = parts;
  const reveal = (spec: ProviderSpec) => revealConfig(spec, environment);
  const askModel: Provider = async (...given) => {
    const { createModelProvider } = await import("./model/model.ts");
    return createModelProvider(reveal, (name) => findModel(name, parts))(...given);
  };
  const kinds = createProviderKinds(
    new Map([
      ["mcp", createMcpProvider(servers.request)],
      ["http", createHttpProvider(reveal)],
      ["function", createFunctionProvider(handWritten.run)],
      ["model", askModel],
      ["builtin", parts.builtin],
    ]),
    reveal,
  );
  const troubleOf: Record<string, (spec: ProviderSpec) => string | null> = {
    mcp: ({ config }) =>
      servers.names().includes(String(config.server)) ? null : `server '${config.server}' is not configured`,
    model: ({ config }) => modelTrouble(String(config.model ?? "default"), models()),
  };
  return {
    of: kinds.of,
    register: kinds.register,
    trouble(spec) {
      if (kinds.of(spec.name) === undefined)
        return `no provider of kind '${spec.name}' is known; known are ${kinds.known().join(", ")}`;
      return troubleOf[spec.name]?.(spec) ?? handWritten.trouble(spec);
    },
    check: (spec, signal) =>
      spec.name === "mcp" ? servers.check(String(spec.config.server), signal) : kinds.check(spec, signal),
  };
}

async function findModel(name: string, { models, fileOfModel }: Parts): Promise<ModelEndpoint> {
  const trouble = modelTrouble(name, models());
  if (trouble !== null)
    throw new PlaneError("NO_PROVIDER", `The provider 'model' cannot be used: ${trouble}.`, {
      data: { sent: false, retryAt: null },
    });
  return endpointOf(name, models(), fileOfModel);
}
