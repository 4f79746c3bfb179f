import { z } from "zod";
import {
  ExtensionPanel,
  ExtensionState,
  ExtensionVerb,
} from "../../model/extensions/extension-schema.ts";
import { text } from "../fields.ts";
import { operation } from "../operation.ts";

const tag = "Extensions";

/** What was added to the plane, and the verbs that came with it. */
export const extensionOperations = [
  operation({
    name: "extensions.list",
    args: [],
    summary:
      "The extensions of this plane: what each has added, since when, and what its start costs",
    example:
      'const failed = (await plane.extensions.list()).filter(({ state }) => state === "failed");',
    scope: "admin",
    input: z.object({}),
    output: z.object({ extensions: z.array(ExtensionState) }),
    returns: z.array(ExtensionState),
    note: "In the order in which they were set up.",
    http: {
      method: "get",
      path: "/extensions",
      tag,
      answers: { 200: "In the order in which they were set up." },
      show: (extensions: ExtensionState[]) => ({ extensions }),
    },
    cli: {
      command: "extensions list",
      about: "list the extensions of this plane, what they add and what their start costs",
      examples: ["extensions list", "extensions list --json"],
    },
    isAnonymous: true,
  }),
  operation({
    name: "extensions.operations",
    args: [],
    summary: "The operations that extensions have added",
    scope: "read",
    input: z.object({}),
    output: z.object({ operations: z.array(ExtensionVerb) }),
    returns: z.array(ExtensionVerb),
    http: {
      method: "get",
      path: "/extensions/operations",
      tag,
      answers: { 200: "With the JSON Schema of their inputs." },
      show: (operations: ExtensionVerb[]) => ({ operations }),
    },
    cli: { missing: "each is a command of its own" },
    isAnonymous: true,
  }),
  operation({
    name: "extensions.run",
    args: ["operation", "input"],
    summary: "Run an operation of an extension",
    description: "What the caller must be allowed to do is said by the operation.",
    scope: "read",
    input: z.object({
      operation: z.string().meta({ description: "Its name: a noun and a verb." }),
      input: z
        .record(z.string(), z.unknown())
        .optional()
        .meta({ description: "As its JSON Schema says." }),
    }),
    output: z.unknown(),
    http: {
      method: "post",
      path: "/extensions/operations/{operation}",
      tag,
      body: {
        description: "The input of the operation.",
        example: { name: "ann" },
        optional: true,
        whole: "input",
      },
      answers: { 200: "What the operation gives." },
      cancels: true,
    },
    cli: { missing: "each is a command of its own" },
  }),
  operation({
    name: "extensions.panels",
    args: [],
    summary: "Facts of the extensions, for people",
    scope: "read",
    input: z.object({}),
    output: z.object({ panels: z.array(ExtensionPanel) }),
    returns: z.array(ExtensionPanel),
    http: {
      method: "get",
      path: "/extensions/panels",
      tag,
      answers: { 200: "One panel after the other." },
      show: (panels: ExtensionPanel[]) => ({ panels }),
    },
    cli: { missing: "they are shown in the workbench" },
    isAnonymous: true,
  }),
  // Below the others, whose paths would be names.
  operation({
    name: "extensions.get",
    args: ["name"],
    summary: "One extension",
    scope: "admin",
    input: z.object({ name: text("Its name.") }),
    output: ExtensionState,
    http: {
      method: "get",
      path: "/extensions/{name}",
      tag,
      answers: { 200: "Its state, and what it added." },
    },
    cli: {
      command: "extensions show",
      about:
        "one extension: its version, where it comes from, what it adds and what its start costs",
      arguments: { "<name>": "" },
      examples: ["extensions show vault"],
    },
    isAnonymous: true,
  }),
] as const;
