import { createPlane, type Extension, type ExtensionSetup } from "../../src/index.ts";

export const tool = (name: string, kind = "greet", config: object = {}) => ({
  name,
  description: "Greets a person by name.",
  side_effects: "none",
  parameters: { type: "object", properties: {} },
  providers: [{ name: kind, config }],
});

type Setup = (to: ExtensionSetup) => ReturnType<Extension["setup"]> | unknown;
/** Written as by someone without a type check. */
export const named = (name: string, setup: Setup, more: object = {}) =>
  ({ name, setup, ...more }) as Extension;
export const planeWith = (...extensions: Extension[]) => createPlane({ config: {}, extensions });

/** Has a tool `greet`. */
export const greets = (to: ExtensionSetup) => {
  to.addProvider("greet", () => "hi");
  return to.addToolSource({ list: () => [tool("greet")] });
};
