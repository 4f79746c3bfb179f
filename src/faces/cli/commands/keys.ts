import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import type { ApiKey } from "../../../model/access/credentials-schema.ts";
import type { Plane } from "../../../model/plane.ts";
import { identityOperations } from "../../../operations/declared/identity.ts";
import { peopleOperations } from "../../../operations/declared/people.ts";
import type { Cli, TextOptions } from "../cli.ts";
import { colors, print, printJson, printStatus } from "../terminal/output.ts";
import { viewsOf } from "../view.ts";
import { withPlane } from "../with-plane.ts";

/** Keys need no servers, so they can be made before there is a configuration. */
const withoutConfiguration = { fallback: { mcpServers: {} } };

type CreateOptions = TextOptions<"keyPersona" | "expires"> & {
  scope?: string[];
  toolGroup?: string[];
};

export async function createKey(cli: Cli, name: string, options: CreateOptions): Promise<void> {
  const {
    user,
    group: groups,
    scope: scopes,
    workspace,
    compliance,
    toolGroup: toolGroups,
  } = options;
  const { expires: expiresAt, keyPersona: persona = options.persona } = options;
  const keyFields = withoutUndefined({
    user,
    groups,
    persona,
    scopes,
    workspace,
    compliance,
    toolGroups,
    expiresAt,
  });
  // The user of the key is not the person who creates it.
  const { user: _, ...creator } = options;
  const create = async (plane: Plane) => {
    const neededBefore = options.json || (await plane.identity.needsCredentials());
    const created = await plane.keys.create({ name, ...keyFields });
    if (options.json) return printJson(created);
    const { key, secret } = created;
    const until = key.expiresAt === null ? "does not expire" : `until ${key.expiresAt}`;
    print(
      `${colors.green("✔")} ${key.id} '${key.name}' for ${key.user} (${key.scopes.join(" ")}), ${until}`,
    );
    print(`\n  ${colors.bold(secret)}\n`);
    print("Copy it now, it is not shown again. HTTP clients send it in a header:");
    print(`  Authorization: Bearer ${secret}`);
    const { files = [] } = key;
    if (files.length === 0) printStatus("It is for every plane that keeps its keys here.");
    else
      printStatus(
        `It is for the plane of ${files.join(" and ")}. Other planes of yours stay as they are.`,
      );
    if (!neededBefore)
      printStatus(
        "From now on every HTTP request needs a key or a token there, and its usual profile is 'guarded'.",
      );
  };
  await withPlane(cli, creator, create, withoutConfiguration);
}

const view = viewsOf(identityOperations);

export const listKeys = view("keys.list", {
  open: withoutConfiguration,
  table: {
    rows: "keys",
    none: "There are no keys. Make one with 'toolplane keys create NAME'.",
    columns: {
      id: "ID",
      name: "NAME",
      revokedAt: { title: "STATE", text: (_, key) => keyState(key) },
      user: "USER",
      groups: { title: "GROUPS", text: (groups) => groups.join(" ") || "-" },
      persona: "PERSONA",
      scopes: { title: "SCOPES", text: (scopes) => scopes.join(" ") },
      createdBy: { title: "CREATED BY", text: (chain) => chain?.[0] },
      lastUsedAt: { title: "LAST USED", text: (moment) => moment ?? "never" },
      expiresAt: { title: "EXPIRES", text: (moment) => moment ?? "never" },
    },
  },
});

export const revokeKey = view("keys.revoke", {
  open: withoutConfiguration,
  text({ id, revoked }, { input: { forget } }) {
    const forgottenNote = forget ? " Its record is gone, too." : "";
    return `Key ${id} ${revoked ? "is revoked" : "was revoked before"}.${forgottenNote}`;
  },
});

export const invitePerson = viewsOf(peopleOperations)("people.invite", {
  // The groups and the persona are those of the guest.
  openOptions: ({ group: _, persona: __, ...host }) => host,
  text: ({ person, url, expiresAt }) =>
    `${colors.green("✔")} ${person.user} is invited (${person.scopes.join(" ")}), until ${expiresAt}\n\n  ${colors.bold(url)}\n\nSend the link to this person only: it counts once, and is not shown again.`,
});

export function keyState({ revokedAt, expiresAt }: ApiKey): "live" | "revoked" | "expired" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? "expired" : "live";
}
