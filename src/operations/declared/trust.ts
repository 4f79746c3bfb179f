import { basename } from "node:path";
import { z } from "zod";
import { operation } from "../operation.ts";

const Line = z.object({
  name: z.string(),
  launch: z.string().meta({
    description: "What it starts and refers to, as the file has it; nothing is expanded.",
  }),
  hash: z.string(),
  trusted: z.boolean(),
  inForce: z.boolean().meta({
    description: "False where it waits for trust, or for that of another line that it needs.",
  }),
  changed: z.boolean().meta({ description: "It was trusted, and has changed since." }),
});

const ProjectTrust = z
  .object({
    directory: z.string().meta({ description: "Its name only; empty without a project." }),
    servers: z.array(Line),
    settings: Line.nullable().meta({
      description: "Everything else that the project's files say.",
    }),
    files: z.array(Line).meta({
      description:
        "Files whose content is a part of it: manifests, API documents, what hooks start, what is read as a value.",
    }),
    own: z
      .array(Line)
      .meta({ description: "Servers of the user's own that ask to work in this directory." }),
  })
  .meta({ id: "ProjectTrust" });

type Shown = z.output<typeof ProjectTrust>;
const tag = "Servers";
const cli = {
  command: "trust",
  about: "show what a project's files start and refer to, and say whether you trust it",
  arguments: { "[directory]": "where the files are; here when left out" },
  options: {
    "--yes": "trust all of it without a question",
    "--list": "list every project you have answered for",
    "--revoke": "forget your answers for this project",
  },
  examples: ["trust", "trust ~/src/project --yes", "trust --list --json", "trust --revoke"],
};
const socket = { missing: "the command line reads and writes the answers itself" };
const hide = (trust: Shown): Shown => ({ ...trust, directory: basename(trust.directory) });

/** Consent to what the files of a project start and read. */
export const trustOperations = [
  operation({
    name: "trust.list",
    args: [],
    summary: "What the files of this project start and refer to, and whether a person trusts it",
    description: "Of what is not trusted nothing is started, read or expanded.",
    scope: "admin",
    input: z.object({}),
    output: ProjectTrust,
    http: {
      method: "get",
      path: "/trust",
      tag,
      answers: { 200: "Each launch line with its hash." },
      hide,
    },
    cli,
    socket,
    isAnonymous: true,
  }),
  operation({
    name: "trust.approve",
    args: ["hashes"],
    summary: "Trust launch lines of this project",
    description:
      "Takes a caller who proves who they are, because programs are started. A line that changed since it was listed has another hash and is refused.",
    scope: "admin",
    input: z.object({ hashes: z.array(z.string()).min(1) }),
    output: ProjectTrust,
    http: {
      method: "post",
      path: "/trust",
      tag,
      body: { description: "The hashes, as listed.", example: { hashes: ["9f86d081884c7d65…"] } },
      answers: { 200: "What is trusted now." },
      hide,
    },
    audit: { target: () => null, input: (input) => input },
    cli,
    socket,
    async run(plane, { hashes }, asker) {
      await plane.trust.approve(hashes, asker);
      return plane.trust.list();
    },
  }),
  operation({
    name: "trust.revoke",
    args: [],
    summary: "Forget every answer about this project",
    description: "Takes a caller who proves who they are. Its servers stop.",
    scope: "admin",
    input: z.object({}),
    output: ProjectTrust,
    http: {
      method: "delete",
      path: "/trust",
      tag,
      answers: { 200: "What is trusted now: nothing." },
      hide,
    },
    audit: {},
    cli,
    socket,
    async run(plane, _input, asker) {
      await plane.trust.revoke(asker);
      return plane.trust.list();
    },
  }),
];
