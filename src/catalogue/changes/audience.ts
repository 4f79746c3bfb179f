import type { Audience } from "../../model/catalogue/change.ts";
import type { Principal } from "../../model/principal.ts";

export const everyone: Audience = { groups: [], persona: null, personas: null };

/** Whoever could see it neither before nor after learns nothing of it. */
export function narrower(a: Audience | undefined, b: Audience | undefined): Audience {
  if (a === undefined || b === undefined) return a ?? b ?? everyone;
  const workspaces = common(a.workspaces, b.workspaces);
  const servers = common(a.servers, b.servers);
  return {
    ...b,
    personas: common(a.personas, b.personas) ?? null,
    ...(workspaces && { workspaces }),
    ...(servers && { servers }),
  };
}

/** What is not limited to anything is limited by the other. */
function common<T extends string[] | null | undefined>(a: T, b: T): string[] | undefined {
  if (!a || !b) return a ?? b ?? undefined;
  return a.filter((one) => b.includes(one));
}

export function maySee(
  { groups, persona, workspace }: Principal,
  audience: Audience,
  maySeeServer: (server: string) => boolean = () => true,
): boolean {
  const { personas, workspaces, servers } = audience;
  if (workspaces && !(workspace !== null && workspaces.includes(workspace))) return false;
  if (servers && !servers.some(maySeeServer)) return false;
  if (audience.groups.length > 0 && !audience.groups.some((group) => groups.includes(group))) return false;
  if (audience.persona !== null && audience.persona !== persona) return false;
  return personas === null || personas.includes(persona ?? "");
}
