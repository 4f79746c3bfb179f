import type { HandWrittenTools } from "../../catalogue/catalogue.ts";
import { once } from "../../lib/async/once.ts";
import type { Egress } from "../../lib/net/egress.ts";
import { keyInMeta } from "../../model/calls/idempotency-key.ts";
import {
  type AddedProvider,
  mapArguments,
  type Provider,
  type ProviderOptions,
  type ToolFunction,
  type Unregister,
} from "../../model/calls/provider.ts";
import type { ProviderKind } from "../../model/calls/provider-kinds.ts";
import type { ProviderSpec } from "../../model/catalogue/tool.ts";
import type { ConfigValues } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type Json, type UnknownObject } from "../../model/json.ts";
import { invalidAnswer } from "../../protocol/message.ts";
import { explainFailure, type Servers, type SessionOwner } from "../../servers/servers.ts";
import { askForOffer, offerRequest } from "../offers/offer-tools.ts";
import { createHttpProvider } from "./http.ts";
import { neverSent, pickResult, type Reveal, readConfig, resultOf } from "./mapping.ts";
import { endpointOf, type ModelEndpoint, type ModelKeys, modelTrouble } from "./model-endpoint.ts";

export type ProviderParts = {
  servers: Servers;
  handWritten: HandWrittenTools;
  /** A provider's configuration with its variables and secrets in their places. */
  reveal: Reveal;
  builtin: Provider;
  /** Decides on the addresses of endpoints. */
  egress: Egress;
  models(): ConfigValues["models"];
  keyOfModel: ModelKeys;
};

export type Providers = ReturnType<typeof createProviders>;

export function createProviders(parts: ProviderParts) {
  const { servers, handWritten, reveal, models } = parts;
  const askModel: Provider = async (...request) => {
    const { createModelProvider } = await import("./model.ts");
    return createModelProvider(reveal, (name) => findModel(name, parts))(...request);
  };
  const builtIns: Record<ProviderKind, Provider> = {
    mcp: createMcpProvider(servers),
    http: createHttpProvider(reveal, parts.egress),
    function: createFunctionProvider(handWritten.run),
    model: askModel,
    openai: (spec, ...request) => askModel(asModel(spec, models()), ...request),
    builtin: parts.builtin,
  };
  const {
    providerOf,
    register,
    kinds: knownKinds,
    check,
  } = createProviderKinds(new Map(Object.entries(builtIns)), reveal);
  return {
    of: providerOf,
    register,
    trouble(spec: ProviderSpec): string | null {
      const { name, config } = spec;
      if (!providerOf(name))
        return `no provider of kind '${name}' is known; known are ${knownKinds().join(", ")}`;
      if (name === "mcp" && !servers.names().includes(String(config.server)))
        return `server '${config.server}' is not configured`;
      if (name !== "model" && name !== "openai") return handWritten.trouble(spec);
      const model = name === "openai" ? modelNamed(config.model, models()) : config.model;
      return modelTrouble(String(model ?? "default"), models()) ?? handWritten.trouble(spec);
    },
    readiness: createReadiness(servers),
    /** Null where it cannot be asked; rejects with the reason. */
    check: (spec: ProviderSpec, signal: AbortSignal): Promise<unknown> | null =>
      spec.name === "mcp" ? servers.check(String(spec.config.server), signal) : check(spec, signal),
  };
}

/** Of providers that are connected to. */
function createReadiness(servers: Pick<Servers, "isOpen" | "isReady" | "status">) {
  return {
    isOpen: ({ name, config }: ProviderSpec, owner: SessionOwner): boolean =>
      name !== "mcp" || servers.isOpen(String(config.server), owner),
    /** False where another provider should be asked meanwhile. */
    isReady: async (
      { name, config }: ProviderSpec,
      owner: SessionOwner,
      isHasty: boolean,
    ): Promise<boolean> => name !== "mcp" || servers.isReady(String(config.server), owner, isHasty),
    readyInMs({ config: { server } }: ProviderSpec): number {
      const nextRetryAt = servers.status().find(({ name }) => name === server)?.nextRetryAt;
      if (!nextRetryAt) return 0;
      return Date.parse(nextRetryAt) - Date.now() + 10;
    },
  };
}

/** All arguments of the call, as a prompt of `model` writes them. */
const everyArgument = "{{*}}";

/**
 * The provider `openai` as the provider `model`. It names a model by its alias or as its endpoint does, and needs no prompt:
 * the arguments are the question.
 */
function asModel(spec: ProviderSpec, models: ConfigValues["models"]): ProviderSpec {
  const { model, ...config } = spec.config;
  const prompt = `Answer this request with the result alone: ${everyArgument}`;
  return {
    ...spec,
    name: "model",
    config: { prompt, ...config, model: modelNamed(model, models) },
  };
}

function modelNamed(reference: unknown, models: ConfigValues["models"]): string {
  const name = String(reference ?? "default");
  if (Object.hasOwn(models, name)) return name;
  return Object.keys(models).find((alias) => models[alias]?.model === name) ?? name;
}

async function findModel(
  name: string,
  { models, keyOfModel }: ProviderParts,
): Promise<ModelEndpoint> {
  const trouble = modelTrouble(name, models());
  if (trouble !== null)
    throw neverSent("NO_PROVIDER", `The provider 'model' cannot be used: ${trouble}.`);
  return endpointOf(name, models(), keyOfModel);
}

function createMcpProvider({
  request,
  requireReleased,
}: Pick<Servers, "request" | "requireReleased">): Provider {
  return async (spec, args, context) => {
    const { owner, idempotencyKey, meta } = context;
    const { config } = spec;
    const server = String(config.server);
    const tool = String(config.tool);
    try {
      const offer = offerRequest(spec, args);
      if (offer !== undefined) {
        const send = async (method: string, params: UnknownObject) => {
          await requireReleased(server, method, params, owner);
          return request(
            server,
            method,
            { ...params, ...metaOf(meta, idempotencyKey) },
            context,
            owner,
          );
        };
        return await askForOffer(offer, send);
      }
      const params = {
        name: tool,
        arguments: mapArguments(config.argumentMap, args),
        ...metaOf(meta, idempotencyKey),
      };
      return takeAnswer(
        spec,
        await request(server, "tools/call", params, context, owner),
        context.continuation,
      );
    } catch (thrown) {
      throw explainFailure(thrown, server, tool);
    }
  };
}

/** The answer to `tools/call`, or throws. */
export function takeAnswer(
  { config }: ProviderSpec,
  result: unknown,
  continuation: unknown,
): unknown {
  if (isResult(result) || isExtended(result) || (continuation && isQuestion(result)))
    return pickResult(config.resultPath, result);
  throw invalidAnswer("invalid tools/call result: 'content' is missing");
}

export function metaOf(
  meta: UnknownObject | undefined,
  key: string | undefined,
): { _meta?: UnknownObject } {
  if (key === undefined) return meta === undefined ? {} : { _meta: meta };
  return { _meta: { ...meta, [keyInMeta]: key } };
}

/** The caller must answer before there is a result. */
function isQuestion(result: unknown): boolean {
  return isObject(result) && result.resultType === "input_required";
}

/** Of a kind that an extension has added; where caller and server do not share one, it does not come this far. */
function isExtended(result: unknown): boolean {
  return (
    isObject(result) &&
    typeof result.resultType === "string" &&
    !kindsOfResults.has(result.resultType)
  );
}

const kindsOfResults: ReadonlySet<string> = new Set(["complete", "input_required", "task"]);

/** Bare values count; nothing at all does not. */
function isResult(result: unknown): boolean {
  if (!isObject(result)) return result !== null && result !== undefined;
  const { content, structuredContent, toolResult } = result;
  if (content) return true;
  return structuredContent !== undefined || toolResult !== undefined;
}

type AnyProvider = Extract<AddedProvider, (...args: never[]) => unknown>;
type AddedKind = { run: Provider } & ProviderOptions;

/** Built-in kinds, and registered ones; the last registration wins. */
export function createProviderKinds(builtIns: ReadonlyMap<string, Provider>, reveal: Reveal) {
  const added = new Map<string, AddedKind[]>();
  const latest = (kind: string) => added.get(kind)?.at(-1);
  return {
    providerOf: (kind: string): Provider | undefined => builtIns.get(kind) ?? latest(kind)?.run,
    kinds: () => [...builtIns.keys(), ...added.keys()].sort(),
    check(spec: ProviderSpec, signal: AbortSignal): Promise<void> | null {
      const check = latest(spec.name)?.check;
      if (check === undefined) return null;
      return ask(
        `provider '${spec.name}'`,
        async () => void (await check(await inUse(spec, reveal), signal)),
      );
    },
    register(kind: string, provider: AddedProvider, options: ProviderOptions = {}): Unregister {
      refuseWrong(kind, provider, builtIns);
      const registration = { run: wrap(provider, reveal), ...options };
      added.set(kind, [...(added.get(kind) ?? []), registration]);

      function unregister() {
        const before = added.get(kind) ?? [];
        const remaining = before.filter((registered) => registered !== registration);
        if (remaining.length === 0) added.delete(kind);
        else added.set(kind, remaining);
        return remaining.length < before.length;
      }

      return Object.assign(unregister, { [Symbol.dispose]: () => void unregister() });
    },
  };
}

function refuseWrong(
  kind: string,
  provider: AddedProvider,
  builtIns: ReadonlyMap<string, Provider>,
): void {
  function refuse(message: string) {
    throw new PlaneError("USAGE", message, { data: { kind } });
  }

  if (typeof kind !== "string" || kind.trim() === "") refuse("A kind of provider needs a name.");
  if (builtIns.has(kind))
    refuse(`The provider '${kind}' is one of ours and cannot be replaced. Choose another name.`);
  const isProvider = typeof provider === "function" || typeof provider?.create === "function";
  if (!isProvider)
    refuse(`The provider '${kind}' must be a function, or an object with a function 'create'.`);
}

function wrap(provider: AddedProvider, reveal: Reveal): Provider {
  const make = typeof provider === "function" ? () => provider : createOnce(provider);
  return async (spec, args, context) => {
    const revealedSpec = await inUse(spec, reveal);
    return ask(`provider '${spec.name}'`, async () =>
      toResult(await (await make(spec, revealedSpec))(revealedSpec, args, context)),
    );
  };
}

async function ask<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    // It may have done something before it threw.
    throw new PlaneError("PROVIDER_FAILED", `The ${what} failed: ${message}`, {
      data: { sent: true },
      cause: thrown,
    });
  }
}

/** One per declaration; a failed creation is repeated the next time. */
function createOnce({ create }: Extract<AddedProvider, { create: unknown }>) {
  const instances = new WeakMap<ProviderSpec, () => Promise<AnyProvider>>();
  return (declared: ProviderSpec, used: ProviderSpec): Promise<AnyProvider> => {
    const make = instances.get(declared) ?? once(async () => create(used));
    instances.set(declared, make);
    return make();
  };
}

async function inUse(spec: ProviderSpec, reveal: Reveal): Promise<ProviderSpec> {
  const { base: _, isJudged: __, ...shown } = spec;
  return {
    ...shown,
    config: await readConfig(spec, reveal, (revealed) => revealed),
  } as ProviderSpec;
}

export function createFunctionProvider(find: (name: string) => ToolFunction | undefined): Provider {
  return async ({ config }, args, { signal, owner, idempotencyKey, onProgress }) => {
    const name = String(config.function);
    const run = find(name);
    if (run === undefined) throw neverSent("NO_PROVIDER", `No function '${name}' is registered.`);
    const context = { signal, owner, idempotencyKey, onProgress };
    return ask(`function of '${name}'`, async () => toResult(await run(args, context)));
  };
}

/** MCP results pass; anything else becomes one. */
function toResult(value: unknown): unknown {
  if (value === undefined) return { content: [] };
  if (isObject(value) && Array.isArray(value.content)) return value;
  return resultOf(value as Json);
}
