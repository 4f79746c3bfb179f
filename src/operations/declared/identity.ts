import { z } from "zod";
import type { NewApiKey } from "../../model/access/credentials.ts";
import { ApiKey, TokenStatus } from "../../model/access/credentials-schema.ts";
import { Question } from "../../model/calls/question-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import { byCreation, Done, NextCursor, oneOf, page, pageAfterCursor, text } from "../fields.ts";
import { type Fields, operation, pick } from "../operation.ts";

const names = z.array(z.string());

/** The API keys of this plane. */
const keys = [
  operation({
    name: "keys.list",
    args: [],
    summary: "The API keys, without their secrets",
    scope: "admin",
    input: z.object(page),
    output: z.object({ keys: z.array(ApiKey), nextCursor: NextCursor }),
    http: { method: "get", path: "/keys", tag: "Keys", answers: { 200: "One page." } },
    cli: {
      command: "keys list",
      about: "every key, whose it is and when it was last used",
      examples: ["keys list", "keys list --json"],
    },
    async run(plane, query, asker) {
      const { items: keys, nextCursor } = pageAfterCursor(
        await plane.keys.list(asker),
        byCreation,
        query,
      );
      return { keys, nextCursor };
    },
  }),
  operation({
    name: "keys.create",
    args: ["..."],
    summary: "Create an API key",
    description:
      "From the first key on everything but `/healthz` needs a credential; `toolplane keys create` makes it on the machine.",
    scope: "admin",
    input: z.object({
      name: z.string(),
      user: z
        .string()
        .optional()
        .meta({ description: "The user it stands for; its creator when left out." }),
      groups: names.optional(),
      persona: z.string().nullable().optional(),
      scopes: names
        .optional()
        .meta({ description: "`read`, `call` or `admin`; `call` when left out." }),
      workspace: z.string().nullable().optional(),
      compliance: z.string().optional(),
      toolGroups: names
        .optional()
        .meta({ description: "The tool groups it may use; `default` when left out, `*` for all." }),
      expiresAt: z.string().nullable().optional(),
    }),
    output: z.object({ key: ApiKey, secret: z.string() }),
    http: {
      method: "post",
      path: "/keys",
      tag: "Keys",
      body: {
        description: "The user it stands for and what it may do.",
        example: { name: "nightly report", user: "ann@example.org", scopes: ["call"] },
      },
      answers: { 201: "The secret is shown this once." },
    },
    audit: {
      target: (_, result) => (result?.key as Fields | undefined)?.id,
      input: (input) => input,
      after: ({ key }) => key,
    },
    cli: {
      command: "keys create",
      about: "create a key for --user, --group, --persona and --workspace; it is shown once",
      arguments: { "<name>": "what it is for" },
      options: {
        "--key-persona <name>": "calls with this key use this persona",
        "--scope <scope>": {
          input: "scopes",
          about: "read, call, admin or *; repeatable, call when left out",
          kind: "list",
        },
        "--tool-group <name>": {
          input: "toolGroups",
          about: "a tool group it may use; repeatable, * for all",
          kind: "list",
        },
        "--expires <time>": {
          input: "expiresAt",
          about: "12h, 30d, 1y or a date; never when left out",
          kind: "moment",
        },
      },
      examples: [
        "keys create laptop",
        "keys create ci --user build@example.org --group ops --expires 30d",
        "keys create dashboard --scope read --json",
      ],
    },
    run: (plane, key, asker) => plane.keys.create(key as NewApiKey, asker),
  }),
  operation({
    name: "keys.revoke",
    args: ["id"],
    summary: "Revoke a key",
    scope: "admin",
    input: z.object({ id: text("The key's id.") }),
    output: z.object({ id: z.string(), revoked: z.boolean() }),
    http: {
      method: "delete",
      path: "/keys/{id}",
      tag: "Keys",
      answers: { 200: "`revoked` is false when it could not be used any more." },
    },
    audit: {
      input: (input) => pick(input, "forget"),
      snapshot: async (plane, { id }, caller) =>
        (await plane.keys.list(caller)).find((key) => key.id === id),
    },
    cli: {
      command: "keys revoke",
      about: "revoke a key",
      arguments: { "<id>": "as 'keys list' shows it" },
      options: { "--forget": "delete its record, too" },
      examples: ["keys revoke 3f9a01c2de"],
    },
    run: async (plane, { id }, asker) => ({ id, revoked: await plane.keys.revoke(id, asker) }),
  }),
];

const actions = ["accept", "decline", "cancel"] as const;

/** What servers ask a person in the middle of calls. */
const questions = [
  operation({
    name: "questions.list",
    args: [],
    summary: "Questions that servers ask the caller during calls",
    scope: "read",
    input: z.object(page),
    output: z.object({ questions: z.array(Question), nextCursor: NextCursor }),
    http: { method: "get", path: "/questions", tag: "Questions", answers: { 200: "One page." } },
    cli: { missing: "the terminal that makes the call asks" },
    async run(plane, query, asker) {
      const keyOf = ({ askedAt, id }: { askedAt: string; id: string }) => `${askedAt} ${id}`;
      const { items: questions, nextCursor } = pageAfterCursor(
        await plane.questions.list(asker),
        keyOf,
        query,
      );
      return { questions, nextCursor };
    },
  }),
  operation({
    name: "questions.answer",
    args: ["id", "..."],
    summary: "Answer a question",
    scope: "call",
    input: z.object({
      id: text("The question's id."),
      action: oneOf(actions),
      content: z.unknown().optional(),
    }),
    output: Done,
    http: {
      method: "post",
      path: "/questions/{id}",
      tag: "Questions",
      body: {
        description: "`content` has to fit the question's schema.",
        example: { action: "accept", content: { colour: "green" } },
      },
      answers: { 200: "It is answered." },
      show: () => ({ ok: true }),
    },
    audit: { input: (input) => pick(input, "action") },
    cli: { missing: "the terminal that makes the call asks" },
  }),
];

const server = text("The server's name in the configuration.");
const Tokens = z.object({ tokens: z.array(TokenStatus), nextCursor: NextCursor });
const time = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), "give a time like 2027-01-31T12:00:00Z")
  .optional();

/** The caller's own credentials for servers. */
const tokens = [
  operation({
    name: "tokens.list",
    args: [],
    summary: "The caller's stored tokens, without their values",
    scope: "read",
    input: z.object(page),
    output: Tokens,
    http: { method: "get", path: "/tokens", tag: "Sign-in", answers: { 200: "One page." } },
    cli: {
      command: "servers tokens",
      about: "which servers a token or sign-in is kept for, and until when",
      examples: ["servers tokens"],
      table: {
        rows: "tokens",
        none: "No tokens are kept for you.",
        columns: {
          server: "SERVER",
          kind: "KIND",
          expiresAt: {
            title: "EXPIRES",
            text: (expiresAt, { expired }) =>
              expired ? "expired" : (expiresAt ?? "does not expire"),
          },
          scopes: { title: "SCOPES", text: (scopes) => scopes.join(" ") },
        },
      },
    },
    async run(plane, query, asker) {
      const keyOf = (token: { server: string; kind: string }) => `${token.server} ${token.kind}`;
      const { items: tokens, nextCursor } = pageAfterCursor(
        await plane.tokens.list(asker),
        keyOf,
        query,
      );
      return { tokens, nextCursor };
    },
  }),
  operation({
    name: "tokens.set",
    args: ["name", "..."],
    summary: "Give a token of your own for a server",
    scope: "call",
    input: z.object({
      name: server,
      token: z.string("give a string").min(1, "give a string that is not empty"),
      expiresAt: time,
      scopes: z.array(z.string()).optional(),
    }),
    output: Tokens,
    http: {
      method: "put",
      path: "/servers/{name}/token",
      tag: "Sign-in",
      body: {
        description: "It is sealed before it is kept.",
        example: { token: "…", expiresAt: "2027-01-31T12:00:00Z" },
      },
      answers: { 200: "What is kept now." },
    },
    audit: { input: ({ name: _, ...token }) => token },
    cli: {
      command: "servers login",
      about: "sign in to a server, or give it your token on standard input",
      arguments: { "<name>": "" },
      options: {
        "--token": "take a token instead of signing in with the browser",
        "--no-browser": "only print the address to sign in at",
      },
      examples: ["servers login tracker", "servers login tracker --token < token.txt"],
    },
    async run(plane, { name, ...token }, asker) {
      await plane.servers.get(name, asker);
      await plane.tokens.set(name, token as { token: string }, asker);
      return { tokens: await plane.tokens.list(asker), nextCursor: null };
    },
  }),
  operation({
    name: "tokens.forget",
    args: ["name"],
    summary: "Forget your token for a server",
    scope: "call",
    input: z.object({ name: server }),
    output: Done,
    http: {
      method: "delete",
      path: "/servers/{name}/token",
      tag: "Sign-in",
      answers: { 200: "It is forgotten." },
      show(done: { ok: boolean }) {
        if (done.ok) return done;
        throw new PlaneError("NOT_FOUND", "No token of yours is kept for this server.");
      },
    },
    audit: {},
    cli: {
      command: "servers logout",
      about: "forget the token or sign-in that is kept for you",
      arguments: { "<name>": "" },
      examples: ["servers logout tracker"],
    },
    async run(plane, { name }, asker) {
      await plane.servers.get(name, asker);
      return { ok: await plane.tokens.forget(name, asker) };
    },
  }),
];

export const identityOperations = [...keys, ...questions, ...tokens];
