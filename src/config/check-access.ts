import { normalLevel, shippedLevels } from "../model/access/compliance.ts";
import type { ConfigProblem, ConfigValues } from "../model/config/config.ts";
import { objectOrEmpty } from "../model/json.ts";
import type { Merged } from "./merge-settings.ts";

type Level = string | null | undefined;

/** Levels that would restrict no one. */
export function checkAccess(
  {
    servers,
    tools,
    users,
    compliance,
  }: Pick<ConfigValues, "servers" | "tools" | "users" | "compliance">,
  merged: Merged,
): ConfigProblem[] {
  const { levels, unknown } =
    compliance === "default" || compliance === null ? shippedLevels : compliance;
  const knownLevels = new Set(
    levels.flatMap(({ name, aliases }) => [name, ...aliases]).map(normalLevel),
  );
  const levelsIn = <K extends string>(
    section: string,
    key: K,
    entries: Record<string, { [key in K]?: Level }>,
  ) =>
    Object.entries(entries).map(([name, entry]) => ({
      path: [section, name, key],
      level: entry[key],
    }));
  const levelsInUse = [
    ...levelsIn("servers", "compliance_level", servers),
    ...levelsIn("tools", "compliance_level", tools),
    ...levelsIn("users", "compliance", users),
  ];
  return levelsInUse.flatMap(({ path, level }): ConfigProblem[] => {
    if (!level || (compliance !== null && knownLevels.has(normalLevel(level)))) return [];
    const effect =
      unknown === "strict" ? "is refused wherever a level is asked for" : "restricts no caller";
    return [
      {
        ...merged.placeOf(path),
        severity: "warning",
        message: compliance === null ? "levels have no effect" : `the level '${level}' ${effect}`,
        hint:
          compliance === null
            ? 'Say which levels go together: "compliance": "default".'
            : `Known are ${levels.map(({ name }) => name).join(", ") || "none"}.`,
      },
    ];
  });
}

/** Keys of `auth` that nothing reads as long as another one is missing. */
export function checkAuth(auth: ConfigValues["auth"], merged: Merged): ConfigProblem[] {
  const writtenAuth = objectOrEmpty(merged.values.auth);
  const { server, issuer, jwt } = auth;
  const problem = (
    severity: ConfigProblem["severity"],
    path: string[],
    message: string,
    hint: string,
  ) => ({
    ...merged.placeOf(["auth", ...path]),
    severity,
    message,
    hint,
  });
  const problems: ConfigProblem[] = [];
  // An error: the person who sets it takes the plane for one that people sign in at.
  if (auth.signIn !== undefined && server === undefined)
    problems.push(
      problem(
        "error",
        ["signIn"],
        "no one signs in there, because the plane has no authorization server",
        "Add \"server\": { \"enabled\": true } to 'auth', or use 'auth.issuer' where clients sign in at the provider themselves.",
      ),
    );
  if (writtenAuth.claims !== undefined && issuer === undefined)
    problems.push(
      problem(
        "warning",
        ["claims"],
        "has no effect without 'auth.issuer'",
        jwt ? "Move it into 'auth.jwt'." : "Set 'auth.issuer', or move it into 'auth.signIn'.",
      ),
    );
  if (writtenAuth.scopes !== undefined && server === undefined && issuer === undefined)
    problems.push(
      problem(
        "warning",
        ["scopes"],
        "has no effect: clients cannot sign in",
        "Set 'auth.server' or 'auth.issuer'.",
      ),
    );
  for (const [id, { scopes, groups }] of Object.entries(server?.clients ?? {}))
    if (groups.length > 0 && scopes.length === 0)
      problems.push(
        problem(
          "warning",
          ["server", "clients", id, "groups"],
          "has no effect: without scopes this client does nothing as itself",
          "Say what it may do in 'scopes'; people bring their own groups.",
        ),
      );
  if (
    server !== undefined &&
    server.assertionIssuers.length > 0 &&
    Object.keys(server.clients).length === 0
  )
    problems.push(
      problem(
        "warning",
        ["server", "assertionIssuers"],
        "has no effect: only known clients may bring assertions",
        "Name the clients in 'auth.server.clients'.",
      ),
    );
  return problems;
}
