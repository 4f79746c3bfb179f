import { z } from "zod";
import type { PersonAsked } from "../../model/access/person.ts";
import { GrantView, PersonView } from "../../model/access/sign-in-schema.ts";
import { byCreation, NextCursor, page, pageAfterCursor, text } from "../fields.ts";
import { type Fields, operation, pick } from "../operation.ts";

const linkLife = "The link counts once, for a week.";
const names = z.array(z.string());

function signInsOf({ source, passkeys, hasPassword, invitedUntil }: PersonView): string {
  const methods = {
    "at the provider": source === "provider",
    passkey: passkeys > 0,
    password: hasPassword,
    invited: invitedUntil !== null,
  };
  const usable = Object.entries(methods).filter(([, isUsable]) => isUsable);
  return usable.map(([method]) => method).join(", ");
}

/** What clients may do for people. */
const grants = [
  operation({
    name: "grants.list",
    args: [],
    summary: "What clients may do for you, and when they last did",
    description: "Administrators see those of all people.",
    scope: "read",
    input: z.object(page),
    output: z.object({ grants: z.array(GrantView), nextCursor: NextCursor }),
    http: { method: "get", path: "/grants", tag: "Sign-in", answers: { 200: "One page." } },
    cli: {
      command: "grants list",
      about: "what clients were allowed to do, by whom, and when they last did",
      examples: ["grants list", "grants list --json"],
      table: {
        rows: "grants",
        none: "No client was allowed anything.",
        columns: {
          id: "ID",
          user: "USER",
          client: {
            title: "CLIENT",
            text: ({ name, verified }) => (verified ? name : `${name} (not verified)`),
          },
          scopes: { title: "SCOPES", text: (scopes) => scopes.join(" ") },
          lastUsedAt: { title: "LAST USED", text: (lastUsedAt) => lastUsedAt ?? "not yet" },
        },
      },
    },
    async run(plane, query, asker) {
      const { items: grants, nextCursor } = pageAfterCursor(
        await plane.grants.list(asker),
        byCreation,
        query,
      );
      return { grants, nextCursor };
    },
  }),
  operation({
    name: "grants.revoke",
    args: ["id"],
    summary: "Take back what a client may do",
    scope: "call",
    input: z.object({ id: text("The grant's id.") }),
    output: z.object({ id: z.string(), revoked: z.boolean() }),
    http: {
      method: "delete",
      path: "/grants/{id}",
      tag: "Sign-in",
      answers: { 200: "Its tokens do not count any more." },
    },
    audit: {
      snapshot: async (plane, { id }, caller) =>
        (await plane.grants.list(caller)).find((grant) => grant.id === id),
    },
    cli: {
      command: "grants revoke",
      about: "take back what a client may do; its tokens stop to count at once",
      arguments: { "<id>": "as 'grants list' shows it" },
      examples: ["grants revoke 3f9a01c2de"],
    },
    run: async (plane, { id }, asker) => ({ id, revoked: await plane.grants.revoke(id, asker) }),
  }),
];

/** Who may sign in. */
const people = [
  operation({
    name: "people.list",
    args: [],
    summary: "The people who can sign in here",
    scope: "admin",
    input: z.object(page),
    output: z.object({ people: z.array(PersonView), nextCursor: NextCursor }),
    http: { method: "get", path: "/people", tag: "Sign-in", answers: { 200: "One page." } },
    cli: {
      command: "people list",
      about: "who can sign in here, and how",
      examples: ["people list"],
      table: {
        rows: "people",
        none: "No one was invited, and no one has signed in.",
        columns: {
          user: "USER",
          groups: { title: "GROUPS", text: (groups) => groups.join(" ") },
          scopes: { title: "SCOPES", text: (scopes) => scopes.join(" ") },
          source: { title: "SIGNS IN", text: (_, person) => signInsOf(person) },
        },
      },
    },
    async run(plane, query, asker) {
      const keyOf = ({ createdAt, user }: PersonView) => `${createdAt} ${user}`;
      const { items: people, nextCursor } = pageAfterCursor(
        await plane.people.list(asker),
        keyOf,
        query,
      );
      return { people, nextCursor };
    },
  }),
  operation({
    name: "people.invite",
    args: ["..."],
    summary: "Invite a person to sign in here",
    description: `${linkLife} A new invitation of the same person replaces the last one.`,
    scope: "admin",
    input: z.object({
      user: z.string().meta({ description: "The name or e-mail address." }),
      groups: names.optional(),
      scopes: names
        .optional()
        .meta({ description: "The most that clients get; `call` when left out." }),
      persona: z.string().nullable().optional(),
    }),
    output: z.object({ person: PersonView, url: z.string(), expiresAt: z.string() }),
    http: {
      method: "post",
      path: "/people",
      tag: "Sign-in",
      body: {
        description: "Who it is, and what they may do.",
        example: { user: "ann@example.org", groups: ["ops"] },
      },
      answers: { 201: "The link is shown this once." },
    },
    audit: {
      target: (_, result) => (result?.person as Fields | undefined)?.user,
      input: (input) => pick(input, "user", "groups", "scopes", "persona"),
      after: ({ person }) => person,
    },
    cli: {
      command: "people invite",
      about: "invite a person in the groups of --group; prints a link for a passkey or a password",
      arguments: { "<user>": "the name or e-mail address" },
      options: {
        "--scope <scope>": {
          input: "scopes",
          about: "read, call, admin or *; repeatable, call when left out",
          kind: "list",
        },
      },
      examples: [
        "people invite ann@example.org --group ops",
        "people invite me@example.org --scope admin",
      ],
    },
    run: (plane, person, asker) => plane.people.invite(person as PersonAsked, asker),
  }),
  operation({
    name: "people.remove",
    args: ["user"],
    summary: "Remove a person, with all that clients may do for them",
    scope: "admin",
    input: z.object({ user: text("The name of the person.") }),
    output: z.object({ user: z.string(), removed: z.boolean() }),
    http: {
      method: "delete",
      path: "/people/{user}",
      tag: "Sign-in",
      answers: { 200: "`removed` is false when there was no such person." },
    },
    audit: {},
    cli: {
      command: "people remove",
      about: "remove a person, and what clients may do for them",
      arguments: { "<user>": "as 'people list' shows it" },
      examples: ["people remove ann@example.org"],
    },
    run: async (plane, { user }, asker) => ({
      user,
      removed: await plane.people.remove(user, asker),
    }),
  }),
];

export const peopleOperations = [...grants, ...people];
