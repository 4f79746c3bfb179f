import { nearest } from "../lib/text/nearest.ts";
import type { ConfigProblem } from "../model/config/config.ts";
import { PlaneError } from "../model/errors.ts";
import type { Principal } from "../model/principal.ts";

type Kind = "skill" | "task" | "job";

export type WorkSeen = {
  /** Those of the kind that whoever asked sees. */
  seen: readonly { name: string }[];
  problems: readonly ConfigProblem[];
  principal: Principal;
};

/** There is none of that name for whoever asked, or there is one that cannot be used. */
export function noWork(kind: Kind, name: string, { seen, problems, principal }: WorkSeen): PlaneError {
  const near = nearest(
    name,
    seen.map((one) => one.name),
  );
  const data = { [kind]: name, nearest: near };
  const broken = problems.find(
    ({ severity, entry, owner }) =>
      severity === "error" &&
      entry?.kind === kind &&
      entry.name === name &&
      (owner === null || owner === principal.persona),
  );
  if (broken !== undefined) {
    const { path, message: wrong, hint } = broken;
    const why = `${path.split(".").at(-1)}: ${wrong}.${hint === null ? "" : ` ${hint}`}`;
    const what = kind[0]?.toUpperCase() + kind.slice(1);
    const message = `${what} '${name}' cannot be used. ${why} 'toolplane config validate' shows where.`;
    return new PlaneError("NOT_FOUND", message, { data });
  }
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((one) => `'${one}'`).join(" or ")}?`
      : `'toolplane ${kind}s list' shows what there is.`;
  return new PlaneError("NOT_FOUND", `No ${kind} '${name}'. ${hint}`, { data });
}
