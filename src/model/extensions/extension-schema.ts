import { z } from "zod";
import type { TypeOf } from "../json.ts";
import { scopeNames } from "../principal.ts";

const jsonObject = z.record(z.string(), z.unknown());

export const ExtensionState = z
  .object({
    name: z.string(),
    use: z.string().meta({ description: "As the configuration or the program names it." }),
    version: z.string().nullable().meta({ description: "Of its package; null where it has none." }),
    source: z
      .string()
      .meta({ description: "Its file, `toolplane` for what comes with it, or `program`." }),
    builtIn: z.boolean().meta({ description: "It comes with Toolplane." }),
    about: z.string().nullable(),
    state: z
      .enum(["set up", "started", "failed", "stopped", "loaded", "not loaded"])
      .meta({ description: "What comes with Toolplane is loaded when it is needed." }),
    error: z
      .string()
      .nullable()
      .meta({ description: "Why it is not in use, or what failed last." }),
    interface: z
      .number()
      .int()
      .meta({ description: "The version of the interface it was written for." }),
    since: z.string().nullable().meta({ description: "When it was set up or loaded." }),
    importMs: z.number().meta({ description: "Time to load its code." }),
    setupMs: z.number().meta({ description: "Time of its 'setup'." }),
    startMs: z.number().meta({ description: "Both together." }),
    adds: z.array(z.string()).meta({ description: "What it has added, such as `provider greet`." }),
    needs: z.array(z.string()).meta({ description: "The parts of the plane that it uses." }),
    settings: jsonObject.nullable().meta({ description: "The JSON Schema of its settings." }),
  })
  .meta({ id: "ExtensionState", description: "An extension of this plane." });
export type ExtensionState = TypeOf<typeof ExtensionState>;

export const ExtensionVerb = z
  .object({
    name: z.string().meta({ description: "A noun and a verb: `scripts.reload`." }),
    extension: z.string(),
    summary: z.string(),
    scope: z.enum(scopeNames),
    changes: z.boolean().meta({ description: "A record of who asked for it is kept." }),
    input: jsonObject.meta({ description: "The JSON Schema of its input." }),
    positional: z
      .array(z.string())
      .meta({ description: "The inputs that the command line takes by position." }),
    columns: z
      .record(z.string(), z.string())
      .nullable()
      .meta({ description: "What people see of a list: titles by the field of an entry." }),
    output: jsonObject.nullable().meta({ description: "The JSON Schema of what it gives." }),
    http: z
      .object({ method: z.enum(["get", "post", "put", "delete"]), path: z.string() })
      .nullable()
      .meta({ description: "Its own address, where it has one." }),
    examples: z.array(z.string()).meta({ description: "Commands that run it." }),
  })
  .meta({ id: "ExtensionVerb", description: "An operation that an extension has added." });
export type ExtensionVerb = TypeOf<typeof ExtensionVerb>;

export const ExtensionPanel = z
  .object({
    extension: z.string(),
    title: z.string(),
    facts: z.array(
      z.object({
        label: z.string(),
        value: z.union([z.string(), z.number(), z.boolean()]).nullable(),
        about: z.string().nullable(),
      }),
    ),
    error: z.string().nullable().meta({ description: "Why there are no facts." }),
  })
  .meta({ id: "ExtensionPanel", description: "Facts of an extension, for people." });
export type ExtensionPanel = TypeOf<typeof ExtensionPanel>;
