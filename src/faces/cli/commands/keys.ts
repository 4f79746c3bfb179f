import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import type { ApiKey } from "../../../model/access/credentials-schema.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import { colors, print, printJson, printStatus, show, table } from "../terminal/output.ts";
import { withPlane } from "../with-plane.ts";

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
  await withKeys(cli, creator, async (plane) => {
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
  });
}

export async function listKeys(cli: Cli, options: GlobalOptions): Promise<void> {
  const keys = await withKeys(cli, options, (plane) => plane.keys.list());
  const noKeys = "There are no keys. Make one with 'toolplane keys create NAME'.";
  const render = () =>
    table(keys, noKeys, {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      STATE: keyState,
      USER: ({ user }) => user,
      GROUPS: ({ groups }) => groups.join(" ") || "-",
      PERSONA: ({ persona }) => persona,
      SCOPES: ({ scopes }) => scopes.join(" "),
      "CREATED BY": ({ createdBy }) => createdBy?.[0] ?? "-",
      "LAST USED": ({ lastUsedAt }) => lastUsedAt ?? "never",
      EXPIRES: ({ expiresAt }) => expiresAt ?? "never",
    });
  show(options, { keys }, render);
}

export async function revokeKey(
  cli: Cli,
  id: string,
  options: GlobalOptions & { forget?: boolean },
): Promise<void> {
  const revokeOptions = options.forget ? { forget: true } : {};
  const revoked = await withKeys(cli, options, (plane) => plane.keys.revoke(id, revokeOptions));
  const forgottenNote = options.forget ? " Its record is gone, too." : "";
  show(
    options,
    { id, revoked },
    () => `Key ${id} ${revoked ? "is revoked" : "was revoked before"}.${forgottenNote}`,
  );
}

export async function invitePerson(
  cli: Cli,
  user: string,
  options: GlobalOptions & { scope?: string[] },
): Promise<void> {
  const { group: groups, persona, scope: scopes } = options;
  const { group: _, persona: __, ...inviter } = options;
  const rights = withoutUndefined({ groups, persona, scopes });
  const invited = await withPlane(cli, inviter, (plane) =>
    plane.people.invite({ user, ...rights }),
  );
  const { person, url, expiresAt } = invited;
  const invitation = `${colors.green("✔")} ${person.user} is invited (${person.scopes.join(" ")}), until ${expiresAt}`;
  show(
    options,
    invited,
    () =>
      `${invitation}\n\n  ${colors.bold(url)}\n\nSend the link to this person only: it counts once, and is not shown again.`,
  );
}

/** Keys need no servers, so they can be made before there is a configuration. */
function withKeys<T>(
  cli: Cli,
  options: GlobalOptions,
  work: (plane: Plane) => Promise<T>,
): Promise<T> {
  return withPlane(cli, options, work, { fallback: { mcpServers: {} } });
}

export function keyState({ revokedAt, expiresAt }: ApiKey): "live" | "revoked" | "expired" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? "expired" : "live";
}
