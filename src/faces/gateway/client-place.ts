import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { redact } from "../../lib/text/redact.ts";
import type { TrustLine } from "../../model/config/setup.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import { mayDo, type Principal } from "../../model/principal.ts";
import { canElicit } from "./client-relay.ts";

const maxPath = 4_096;
const maxRoots = 100;

/**
 * The first root of a client that is a directory of this machine, without links. Roots are what a client claims. One whose
 * process was started in a root, or below it, works where it was started: editors start theirs elsewhere.
 */
export function directoryInRoots({ roots }: UnknownObject, started?: string): string | null {
  let firstRoot: string | null = null;
  if (!Array.isArray(roots)) return null;
  for (const root of roots.slice(0, maxRoots)) {
    const directory = isObject(root) ? directoryOf(root.uri) : null;
    if (directory === null) continue;
    if (started === undefined) return directory;
    if (isWithin(directory, started)) return started;
    firstRoot ??= directory;
  }
  return firstRoot;
}

function directoryOf(uri: unknown): string | null {
  if (typeof uri !== "string" || uri.length > maxPath || !/^file:/i.test(uri)) return null;
  try {
    const directory = realpathSync(fileURLToPath(uri));
    return statSync(directory).isDirectory() ? directory : null;
  } catch {
    // It is on another machine, or gone.
    return null;
  }
}

function isWithin(directory: string, path: string): boolean {
  const relativePath = relative(directory, path);
  return !isAbsolute(relativePath) && !/^\.\.(?:[\\/]|$)/.test(relativePath);
}

type Asking = {
  plane: Plane;
  principal: Principal;
  capabilities: UnknownObject;
  ask(method: string, params: UnknownObject, signal: AbortSignal): Promise<UnknownObject>;
  signal: AbortSignal;
};

/** What was asked in this process, so that two clients in one directory do not ask the same. */
const askedLines = new WeakMap<object, Set<string>>();

/**
 * Asks the person at a client whether a server of their own may work in the directory of the client. Only who could say so
 * by a command is asked, and the answer is a field that has to be set: accepting an empty form is no yes. No tool leads here.
 */
export async function askForTrust({
  plane,
  principal,
  capabilities,
  ask,
  signal,
}: Asking): Promise<void> {
  if (!canElicit(capabilities) || !mayDo(principal, "admin") || principal.isUnproven) return;
  const linesOfPlane = askedLines.get(plane) ?? new Set<string>();
  askedLines.set(plane, linesOfPlane);
  const { directory, lines } = plane.trust.unanswered({ principal });
  for (const line of lines) {
    const key = JSON.stringify([directory, line.hash]);
    if (linesOfPlane.has(key)) continue;
    linesOfPlane.add(key);
    const { action, content } = await ask(
      "elicitation/create",
      questionAbout(line, directory),
      signal,
    );
    const isYes = action === "accept" && isObject(content) && content.trust === true;
    if (isYes) await plane.trust.approve([line.hash], { principal, face: "mcp" });
    else if (action !== "cancel") await plane.trust.decline([line.hash], { principal });
  }
}

function questionAbout({ name, launch, changed }: TrustLine, directory: string): UnknownObject {
  const lines = [
    `May your server '${name}' work in ${directory}? It would start here:`,
    "",
    `  ${redact(launch)}`,
  ];
  if (changed) lines.push("", "You trusted it here before, and it has changed since.");
  const trust = { type: "boolean", title: `Trust this directory for '${name}'`, default: false };
  return {
    message: lines.join("\n"),
    requestedSchema: { type: "object", properties: { trust }, required: ["trust"] },
  };
}
