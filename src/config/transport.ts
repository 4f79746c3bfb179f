import { redact } from "../lib/text/redact.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Transport } from "../model/servers/server.ts";
import {
  namedTransports,
  transportByScheme,
  transportBySpelling,
  transports,
} from "../model/servers/transports.ts";
import { isAddedScheme } from "./extensions/added-kinds.ts";

type DetectedTransport = { transport: Transport; url?: string };
type TransportProblem = { problem: string; hint: string | null; key?: string };

const transportNames = namedTransports.join(", ").replace(/, (?=[^,]*$)/, " or ");

/** `transport` says it, else there is a command, else the URL tells; `type` only fills what is left open. */
export function detectTransport(server: UnknownObject): DetectedTransport | TransportProblem {
  const { transport, type, url, openapi, skills } = server;
  // Without a command, what the image starts by itself is the server.
  const command = server.command ?? (server.container === undefined ? undefined : "");
  const stated = transportBySpelling.get(transport);
  if (transport !== undefined && stated === undefined) {
    return {
      problem: `transport ${JSON.stringify(transport)} is unknown`,
      hint: `Use ${transportNames}.`,
    };
  }
  if (skills !== undefined || stated === "skills") return detectFolder(server);
  if (openapi !== undefined || stated === "openapi") return detectApi(server);
  if (command === undefined && url === undefined)
    return {
      problem: "neither 'command' nor 'url' is given",
      hint: "A server needs one of them, or 'openapi', or 'skills'.",
    };
  if (stated === "stdio" || (stated === undefined && command !== undefined)) {
    if (command === undefined) return { problem: "stdio needs a 'command'", hint: null };
    return { transport: "stdio" };
  }
  if (typeof url !== "string") return { problem: "'url' must be a string", hint: null };
  if (isAddedScheme(schemeOf(url))) return { transport: "extension", url };
  if (!hasUsableScheme(url)) return wrongUrl(url, stated);
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(url);
  const fullUrl = hasScheme ? url : `http://${url}`;
  const hinted = hasScheme ? undefined : transportBySpelling.get(type);
  return {
    transport: stated ?? transportOfUrl(fullUrl, hinted === "stdio" ? undefined : hinted),
    url: fullUrl,
  };
}

/** Its operations are the tools, so nothing is started and no other address counts. */
function detectApi({
  transport,
  openapi,
  command,
  url,
}: UnknownObject): DetectedTransport | TransportProblem {
  const conflictingKey = command === undefined ? "url" : "command";
  if (openapi === undefined)
    return { problem: "openapi needs 'openapi', a file or URL", hint: null };
  if (command !== undefined || url !== undefined)
    return {
      problem: `'openapi' and '${conflictingKey}' are both given`,
      hint: "Keep one; the API's address is 'baseUrl'.",
    };
  const [, protocol] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(String(openapi)) ?? [];
  if (
    protocol !== undefined &&
    !(/^(https?|file)$/i.test(protocol) && URL.canParse(String(openapi)))
  )
    return {
      problem: "'openapi' is neither a file nor an address",
      hint: "Start it with https://.",
      key: "openapi",
    };
  if (transport !== undefined && transport !== "openapi")
    return {
      problem: `'openapi' has no transport ${JSON.stringify(transport)}`,
      hint: "Leave 'transport' out.",
    };
  return { transport: "openapi" };
}

/** Its skills are all that it has. */
function detectFolder({
  transport,
  skills,
  ...otherKeys
}: UnknownObject): DetectedTransport | TransportProblem {
  if (skills === undefined) return { problem: "skills needs 'skills', a folder", hint: null };
  const conflictingKey = ["command", "url", "container", "openapi"].find(
    (key) => otherKeys[key] !== undefined,
  );
  if (conflictingKey !== undefined)
    return {
      problem: `'skills' and '${conflictingKey}' are both given`,
      hint: "Give the folder an entry of its own.",
    };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(String(skills)))
    return {
      problem: "'skills' is an address",
      hint: "Write the path of a folder.",
      key: "skills",
    };
  if (transport !== undefined && transport !== "skills")
    return {
      problem: `'skills' has no transport ${JSON.stringify(transport)}`,
      hint: "Leave 'transport' out.",
    };
  return { transport: "skills" };
}

const schemeOf = (url: string): string => /^([a-z][a-z0-9+.-]*):/i.exec(url.trim())?.[1] ?? "";

/** `localhost:3000/mcp` has none, which is fine; `htp:/x` has one that nothing speaks. */
function hasUsableScheme(url: string): boolean {
  const [, scheme, slashes] = /^([a-z][a-z0-9+.-]*):(?!\d)(\/\/)?/i.exec(url.trim()) ?? [];
  return (
    scheme === undefined || (slashes !== undefined && transportByScheme.has(scheme.toLowerCase()))
  );
}

function wrongUrl(url: string, stated: Transport | undefined): TransportProblem {
  const { schemes: ownSchemes } = transports[stated ?? "http"];
  const schemes = (ownSchemes.length > 0 ? ownSchemes : transports.http.schemes)
    .map((scheme) => `${scheme}://`)
    .join(" or ");
  const problem = `'${redact(url)}' is not a URL; start it with ${schemes}`;
  return { problem, hint: null, key: "url" };
}

function transportOfUrl(url: string, hinted: Transport = "http"): Transport {
  const transportOfScheme = transportByScheme.get(schemeOf(url).toLowerCase());
  if (transportOfScheme !== undefined && transportOfScheme !== "http") return transportOfScheme;
  if (/\/sse\/?$/.test(url.split(/[?#]/)[0] ?? "")) return "sse";
  return hinted;
}
