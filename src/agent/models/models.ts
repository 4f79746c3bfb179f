import { endpointOf, explainModelFailure, modelTrouble } from "../../calls/calls.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { ChatModel } from "../../model/agent/chat.ts";
import type { ModelChoice } from "../../model/agent.ts";
import type { ConfigValues } from "../../model/config/config.ts";
import { PlaneError, toPlaneError } from "../../model/errors.ts";
import { pricedModel } from "./price.ts";

type Parts = {
  configured(): ConfigValues["models"];
  /** What is wrong with a model that is configured and cannot be used; with any, without a name. */
  broken(name?: string): PlaneError | null;
  /** The file that defines a model; its references to files start there. */
  keyOf(name: string, written: string): Promise<string>;
  /** Models that the embedding program passes in. */
  given: Readonly<Record<string, Exclude<ModelChoice, string>>>;
};

export type Models = ReturnType<typeof createModels>;

/** The models that agents and servers can ask. */
export function createModels({ configured, broken, keyOf, given }: Parts) {
  const known = () => [
    ...Object.entries(given).map(([name, model]) => ({ name, model: idOf(model) ?? name })),
    ...Object.entries(configured())
      .filter(([name]) => !Object.hasOwn(given, name))
      .map(([name, { model }]) => ({ name, model })),
  ];

  const knownNames = () => known().map(({ name }) => name);

  function usual(): string {
    const names = knownNames();
    if (names.includes("default")) return "default";
    const unusable = broken("default");
    if (unusable) throw unusable;
    const [only, ...others] = names;
    if (only !== undefined && others.length === 0) return only;
    if (only === undefined) throw broken() ?? noModel();
    throw new PlaneError("USAGE", `Say which model to ask: ${names.join(", ")}. Or call one of them 'default'.`);
  }

  function requireUsable(name: string): void {
    if (Object.hasOwn(given, name)) return;
    const models = configured();
    if (!Object.hasOwn(models, name)) throw broken(name) ?? unknownModel(name, knownNames());
    const trouble = modelTrouble(name, models);
    if (trouble === null) return;
    throw new PlaneError("CONFIG_INVALID", `The agent cannot ask its model: ${trouble}.`, { data: { model: name } });
  }

  async function openNamed(name: string): Promise<ChatModel> {
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    if (own !== undefined) return openGiven(own, name);
    requireUsable(name);
    const endpoint = await endpointOf(name, configured(), keyOf);
    const { openEndpoint } = await import("./ai-sdk-model.ts");
    const model = openEndpoint(name, endpoint, (thrown) => explainModelFailure(thrown, name));
    const price = configured()[name]?.price;
    return price ? pricedModel(await model, price) : model;
  }

  return {
    /** Each with our name and its endpoint's. */
    known,
    open: async (choice?: ModelChoice): Promise<ChatModel> =>
      choice === undefined || typeof choice === "string"
        ? openNamed(choice ?? usual())
        : openGiven(choice, idOf(choice) ?? "model"),
    /** Why it cannot be asked, the default one without a name; null when nothing is known against it. */
    trouble(name?: string): PlaneError | null {
      try {
        requireUsable(name ?? usual());
        return null;
      } catch (thrown) {
        return toPlaneError(thrown);
      }
    },
  };
}

async function openGiven(model: Exclude<ModelChoice, string>, name: string): Promise<ChatModel> {
  if ("stream" in model && typeof model.stream === "function") return model;
  const { createAiSdkModel, isForeignModel } = await import("./ai-sdk-model.ts");
  if (isForeignModel(model)) return createAiSdkModel(name, model, (thrown) => explainModelFailure(thrown, name));
  throw new PlaneError("USAGE", `'${name}' is not a model: give the name of one, or a language model of the AI SDK.`);
}

function idOf(model: Exclude<ModelChoice, string>): string | undefined {
  const { modelId, name } = model as { modelId?: unknown; name?: unknown };
  return [modelId, name].find((id) => typeof id === "string" && id !== "") as string | undefined;
}

function noModel(): PlaneError {
  const message = "No model is configured. Add one under 'models', with its 'baseURL' and 'model'.";
  return new PlaneError("CONFIG_INVALID", message, { data: { noModel: true } });
}

function unknownModel(name: string, known: readonly string[]): PlaneError {
  const near = nearest(name, known, 1).map((close) => ` Did you mean '${close}'?`);
  const message = `No model '${name}' is configured.${near.join("")} Add it under 'models'.`;
  return new PlaneError("NOT_FOUND", message, { data: { model: name } });
}
