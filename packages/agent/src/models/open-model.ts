import { type AgentParts, idOfModel } from "@toolplane/core/agent";
import { endpointOf, explainModelFailure } from "@toolplane/core/calls";
import type { ModelChoice } from "@toolplane/core/model/agent";
import type { ChatModel } from "@toolplane/core/model/agent/chat";
import { PlaneError } from "@toolplane/core/model/errors";
import { pricedModel } from "./price.ts";

type Parts = Pick<AgentParts, "config" | "models" | "givenModels" | "keyOfModel">;

export type OpenModel = (choice?: ModelChoice) => Promise<ChatModel>;

/** The model that was chosen, or the usual one. */
export function createOpenModel({ config, models, givenModels, keyOfModel }: Parts): OpenModel {
  async function openNamed(name: string): Promise<ChatModel> {
    const givenModel = Object.hasOwn(givenModels, name) ? givenModels[name] : undefined;
    if (givenModel !== undefined) return openGiven(givenModel, name);
    models.requireUsable(name);
    const endpoint = await endpointOf(name, config().models, keyOfModel);
    const { openEndpoint } = await import("./ai-sdk-model.ts");
    const model = openEndpoint(name, endpoint, (thrown) => explainModelFailure(thrown, name));
    const price = config().models[name]?.price;
    if (price) return pricedModel(await model, price);
    return model;
  }

  return async (choice) => {
    if (choice === undefined || typeof choice === "string")
      return openNamed(choice ?? models.usual());
    return openGiven(choice, idOfModel(choice) ?? "model");
  };
}

async function openGiven(model: Exclude<ModelChoice, string>, name: string): Promise<ChatModel> {
  if ("stream" in model && typeof model.stream === "function") return model;
  const { createAiSdkModel, isForeignModel } = await import("./ai-sdk-model.ts");
  if (isForeignModel(model))
    return createAiSdkModel(name, model, (thrown) => explainModelFailure(thrown, name));
  throw new PlaneError(
    "USAGE",
    `'${name}' is not a model: give the name of one, or a language model of the AI SDK.`,
  );
}
