import { countOf } from "../../lib/count-of.ts";
import { isObject } from "../../model/json.ts";
import type { ServerDefinition } from "../../model/server.ts";
import type { DoctorCheck } from "../../model/setup.ts";
import { failed, passed } from "./check.ts";
import { renderCommandLine } from "./command-line.ts";
import { describe } from "./handshake.ts";
import type { Opened } from "./open-server.ts";

type Taken = { tools: readonly unknown[]; rejected: readonly { tool: string; reason: string }[] };

export type TakeTools = (server: string, definition: ServerDefinition, listed: unknown[]) => Taken;

export function checkTools(
  server: string,
  definition: ServerDefinition,
  { listed, failure }: Opened,
  takeTools: TakeTools,
): DoctorCheck {
  if (listed === null) {
    const detail = failure ? `Asked for its tools: ${describe(failure)}` : "It did not list its tools.";
    return failed("tools", { detail, fix: listingFix(definition) });
  }
  const taken = takeTools(server, definition, listed);
  const missing = missingNames(definition, listed);
  if (missing.length > 0) {
    return failed("tools", {
      detail: `'allow_tools' names ${missing.join(", ")}, which it does not offer.`,
      fix: "Correct these names in 'allow_tools', or take them out.",
    });
  }
  const detail = summary(listed.length, taken);
  if (taken.tools.length > 0 || taken.rejected.length === 0) return passed("tools", detail);
  return failed("tools", {
    detail,
    fix: "Update the server, or tell its authors what is wrong with its tools.",
  });
}

/** Globs may match nothing; a whole name that matches nothing is a mistake. */
function missingNames({ allow_tools }: ServerDefinition, listed: readonly unknown[]): string[] {
  const names = new Set(listed.map((tool) => (isObject(tool) ? tool.name : undefined)));
  return (allow_tools ?? [])
    .filter((name) => /^[\w.-]+$/.test(name) && !names.has(name))
    .map((name) => `'${name}'`);
}

function summary(listed: number, { tools, rejected }: Taken): string {
  if (listed === 0) return "It offers no tools, so there is nothing to call.";
  const [first] = rejected;
  const refused = first ? ` ${rejected.length} cannot be used, first '${first.tool}': ${first.reason}.` : "";
  const filtered = listed - tools.length - rejected.length;
  const kept = filtered > 0 ? ` ${filtered} are kept out by 'allow_tools' and 'deny_tools'.` : "";
  return `${tools.length} of ${countOf(listed, "tool")} can be called.${refused}${kept}`;
}

function listingFix(definition: ServerDefinition): string {
  if (definition.transport !== "stdio")
    return "Ask whoever runs the server why it does not answer tools/list.";
  return `Run it by hand to see what it says when it lists its tools: ${renderCommandLine(definition)}`;
}
