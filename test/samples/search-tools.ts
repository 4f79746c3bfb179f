import type { Findable } from "../../packages/search/src/fields.ts";

type More = {
  parameters?: Findable["parameters"];
  persona?: string;
  title?: string;
  capabilities?: string[];
};

/** A tool as a search sees it. */
export function findable(
  server: string | null,
  tool: string,
  description = "",
  more: More = {},
): Findable {
  const { parameters = {}, persona = null, title, capabilities = [] } = more;
  return {
    id: { server, tool },
    name: server === null ? tool : `${server}.${tool}`,
    modelName: server === null ? tool : `${server}__${tool}`,
    description,
    parameters,
    persona,
    ...(title === undefined ? {} : { title }),
    metadata: { capabilities },
  };
}

/** The properties of an object schema, all of them texts and needed. */
export function needing(...names: string[]): Findable["parameters"] {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  return { type: "object", properties, required: names };
}
