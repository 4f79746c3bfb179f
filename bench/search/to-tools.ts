import type { Findable } from "../../packages/search/src/fields.ts";

/** One tool of the data sets. */
export type SampleTool = {
  id: string;
  server: string;
  name: string;
  description?: string;
  inputSchema?: Findable["parameters"];
  serverTitle?: string;
  serverDescription?: string;
};

/** As the registry would list them; `idOf` leads back. */
export function toTools(samples: readonly SampleTool[]) {
  const idOf = new Map<Findable, string>();
  const texts = new Map<string | null, string>();
  for (const sample of samples) {
    const name = `${sample.server}.${sample.name}`;
    idOf.set(
      {
        id: { server: sample.server, tool: sample.name },
        name,
        modelName: `${sample.server}__${sample.name}`,
        description: sample.description ?? "",
        parameters: sample.inputSchema ?? {},
        persona: null,
        metadata: { capabilities: [] },
      },
      sample.id,
    );
    texts.set(sample.server, `${sample.serverTitle ?? ""}\n${sample.serverDescription ?? ""}`);
  }
  return {
    tools: [...idOf.keys()],
    idOf,
    serverText: (server: string | null) => texts.get(server) ?? "",
  };
}
