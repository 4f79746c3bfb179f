import * as z from "zod/mini";

export const argumentTypes = ["string", "number", "integer", "boolean", "array", "object"] as const;

/** What is said here about one argument of a tool, on top of what its server says. */
export const ToolArgument = z.strictObject({
  name: z.string().check(z.minLength(1)),
  type: z.optional(z.enum(argumentTypes)),
  description: z.optional(z.string()),
  /** Unsaid, as the server has it; needed where only we know the argument. */
  required: z.optional(z.boolean()),
  /** Filled in where a caller leaves it out. */
  default: z.optional(z.json()),
  enum: z.optional(z.array(z.json())),
  /** Neither shown nor to be set. */
  hidden: z.optional(z.boolean()),
  /** Always sent, neither shown nor to be set. */
  fixed: z.optional(z.json()),
});
export type ToolArgument = z.infer<typeof ToolArgument>;

const shape = /^([^:?]+)(\?)?:([^:]*)(?::(.*))?$/s;

/** `name:type:description`, where the description may hold colons and `name?` is optional; or what is wrong with it. */
export function parseArgumentText(text: string): ToolArgument | { problem: string } {
  const [, name = "", optional, type = "", description = ""] = shape.exec(text) ?? [];
  if (name.trim() === "")
    return {
      problem: "is not name:type:description, as in 'city:string:Where to look'. A name with a ? is optional.",
    };
  const known = argumentTypes.find((one) => one === type.trim());
  if (known === undefined)
    return { problem: `cannot be read: '${type.trim()}' is no type. Use ${argumentTypes.join(", ")}.` };
  return {
    name: name.trim(),
    type: known,
    ...(description.trim() === "" ? {} : { description: description.trim() }),
    required: optional === undefined,
  };
}
