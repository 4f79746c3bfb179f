import { modelTrouble } from "../calls/calls.ts";
import { nearest, suggestionOf } from "../lib/text/nearest.ts";
import type { ModelChoice } from "../model/agent.ts";
import type { ConfigValues } from "../model/config/config.ts";
import { PlaneError, toPlaneError } from "../model/errors.ts";

/** Models that the embedding program passes in. */
export type GivenModels = Readonly<Record<string, Exclude<ModelChoice, string>>>;

type Parts = {
  configured(): ConfigValues["models"];
  /** What is wrong with a model that is configured and cannot be used; with any, without a name. */
  broken(name?: string): PlaneError | null;
  given: GivenModels;
};

export type Models = ReturnType<typeof createModels>;

/** The models that agents and servers can ask, without asking them. */
export function createModels({ configured, broken, given: givenModels }: Parts) {
  const namedModels = () => [
    ...Object.entries(givenModels).map(([name, model]) => ({
      name,
      model: idOfModel(model) ?? name,
    })),
    ...Object.entries(configured())
      .filter(([name]) => !Object.hasOwn(givenModels, name))
      .map(([name, { model }]) => ({ name, model })),
  ];

  const knownNames = () => namedModels().map(({ name }) => name);

  function defaultModel(): string {
    const names = knownNames();
    if (names.includes("default")) return "default";
    const problem = broken("default");
    if (problem) throw problem;
    const [onlyName, ...otherNames] = names;
    if (onlyName !== undefined && otherNames.length === 0) return onlyName;
    if (onlyName === undefined) throw broken() ?? noModel();
    throw new PlaneError(
      "USAGE",
      `Say which model to ask: ${names.join(", ")}. Or call one of them 'default'.`,
    );
  }

  function requireUsable(name: string): void {
    if (Object.hasOwn(givenModels, name)) return;
    const models = configured();
    if (!Object.hasOwn(models, name)) throw broken(name) ?? unknownModel(name, knownNames());
    const trouble = modelTrouble(name, models);
    if (trouble === null) return;
    throw new PlaneError("CONFIG_INVALID", `The agent cannot ask its model: ${trouble}.`, {
      data: { model: name },
    });
  }

  return {
    /** Each with our name and its endpoint's. */
    known: namedModels,
    /** The one that is asked where none is named. Throws where that is not clear. */
    usual: defaultModel,
    /** Throws why it cannot be asked. */
    requireUsable,
    /** Why it cannot be asked, the default one without a name; null when nothing is known against it. */
    trouble(name?: string): PlaneError | null {
      try {
        requireUsable(name ?? defaultModel());
        return null;
      } catch (thrown) {
        return toPlaneError(thrown);
      }
    },
  };
}

/** What a model calls itself. */
export function idOfModel(model: Exclude<ModelChoice, string>): string | undefined {
  const { modelId, name } = model as { modelId?: unknown; name?: unknown };
  return [modelId, name].find((id) => typeof id === "string" && id !== "") as string | undefined;
}

function noModel(): PlaneError {
  const message = "No model is configured. Add one under 'models', with its 'baseURL' and 'model'.";
  return new PlaneError("CONFIG_INVALID", message, { data: { noModel: true } });
}

function unknownModel(name: string, knownNames: readonly string[]): PlaneError {
  const suggestion = suggestionOf(nearest(name, knownNames, 1));
  const message = `No model '${name}' is configured.${suggestion} Add it under 'models'.`;
  return new PlaneError("NOT_FOUND", message, { data: { model: name } });
}
