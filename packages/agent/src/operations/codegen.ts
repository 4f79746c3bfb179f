import { GeneratedFile } from "@toolplane/core/model/agent/code-schema";
import { codegenKinds } from "@toolplane/core/model/plane-work";
import { operation } from "@toolplane/core/operations/operation";
import { z } from "zod";

/** TypeScript made of the catalogue. */
export const codegenOperations = [
  operation({
    name: "codegen.generate",
    args: ["kind", "..."],
    summary: "TypeScript for tools: types, a client, or the command line of one server",
    description: "The same catalogue gives the same text.",
    example: 'const { files } = await plane.codegen.generate("client", { server: "files" });',
    scope: "read",
    input: z.object({
      kind: z.enum(codegenKinds),
      server: z.string().optional().meta({ description: "Only the tools of this server." }),
      toolset: z.string().optional().meta({ description: "Only the tools of this toolset." }),
    }),
    output: z.object({ files: z.array(GeneratedFile) }).meta({ id: "GeneratedFiles" }),
    http: { method: "get", path: "/codegen/{kind}", tag: "Code", answers: { 200: "The files." } },
    cli: {
      command: "codegen",
      about:
        "TypeScript for tools: types, a client with a method for each, or the command line of one server",
      arguments: { "<kind>": "types, client or cli" },
      options: {
        "--server <name>": "only the tools of this server",
        "--toolset <name>": "only the tools of this toolset",
        "--out <directory>": "write the files there instead of to standard output",
      },
      examples: [
        "codegen types > tools.ts",
        "codegen client --toolset small --out src/tools",
        "codegen cli --server demo --out bin",
      ],
    },
  }),
];
