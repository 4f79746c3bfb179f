import type { ServerDefinition } from "../../model/server.ts";
import { installerOf, installFailure } from "../installer.ts";
import { renderCommandLine } from "./command-line.ts";
import type { Failure } from "./failure.ts";

/** What servers write when they cannot start, and what that asks for. */
const complaints: [said: RegExp, fix: (found: string) => string][] = [
  [
    /npm (?:error|ERR!) (?:code )?E?404/i,
    () => "Correct the name of the package in 'args'; npm does not know it.",
  ],
  [/Cannot find module '([^']+)'/, (found) => `Correct the path in 'args': there is no ${found}.`],
  [/can't open file '([^']+)'/, (found) => `Correct the path in 'args': there is no ${found}.`],
  [
    /No module named '?([\w.]+)/,
    (found) => `Install the Python module ${found} for the Python that 'command' runs.`,
  ],
  [/Cannot connect to the Docker daemon/i, () => "Start Docker."],
];

export function processFix(definition: ServerDefinition, { kind, reason, said }: Failure): string {
  const { command = "" } = definition;
  const install = installFailure(definition, said);
  if (install?.remedy) return install.remedy;
  for (const [pattern, fix] of complaints) {
    const found = pattern.exec(said);
    if (found) return fix(found[1] ?? "");
  }
  if (kind === "not started" && reason.includes("was not found")) {
    return `Correct the first line (#!) of ${command}; the program it names does not exist.`;
  }
  if (isStranger(reason)) return updateFix;
  const line = renderCommandLine(definition);
  if (kind === "too late" && installerOf(definition) !== null) {
    return `Raise 'installTimeoutMs', or run it once by hand, so that it can fetch what it needs: ${line}`;
  }
  return `Run it by hand to see what it says: ${line}`;
}

export function remoteFix(definition: ServerDefinition, { reason }: Failure): string {
  const [, redirect] = /redirects to (\S+);/.exec(reason) ?? [];
  if (redirect !== undefined) return `Change 'url' to the address it redirects to, at ${redirect}.`;
  if (reason.includes("no TLS is spoken")) return "Begin 'url' with http:// instead of https://.";
  if (reason.includes("is no WebSocket") || reason.includes("sub-protocol")) {
    return `Set 'transport' to "http", or point 'url' to a WebSocket that speaks MCP.`;
  }
  if (isStranger(reason)) return updateFix;
  const [, status] = /HTTP (\d{3})/.exec(reason) ?? [];
  if (status !== undefined) return statusFix(definition, Number(status));
  return "Point 'url' to the MCP endpoint of the server, often at /mcp; something else answers there.";
}

function statusFix(definition: ServerDefinition, status: number): string {
  if (status === 401 || status === 403) return credentialFix(definition);
  if (status === 404 || status === 405) {
    return "Correct the path of 'url': is this the right one? Most servers answer at /mcp, older ones at /sse.";
  }
  if (status === 429) return "Wait, then try again; the server takes no more requests for now.";
  if (status >= 500) return "Ask whoever runs the server to look into its log.";
  return "Point 'url' to the MCP endpoint of the server, often at /mcp.";
}

function credentialFix({ headers, auth }: ServerDefinition): string {
  if (auth?.token) return "Replace 'auth.token' by a token that the server accepts.";
  const given = Object.keys(headers).find((name) => /^authorization$|key|token/i.test(name));
  if (given !== undefined) return `Replace the token in 'headers.${given}' by one that the server accepts.`;
  return "Add the token that the server wants as 'auth.token' or in 'headers.Authorization'.";
}

const updateFix = "Update the server to a version that speaks one of these protocols.";

function isStranger(reason: string): boolean {
  return reason.startsWith("it speaks protocol");
}
