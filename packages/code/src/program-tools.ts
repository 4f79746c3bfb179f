import type { CodeParts } from "@toolplane/core/agent";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { accessor, foldIdentifier } from "@toolplane/core/lib/text/identifier";
import { nearest } from "@toolplane/core/lib/text/nearest";
import type { ProgramError, RunCodeOptions } from "@toolplane/core/model/agent/code-run";
import type { CodeSearch } from "@toolplane/core/model/agent/code-schema";
import type { Tool, ToolId } from "@toolplane/core/model/catalogue/tool";
import { toolKey } from "@toolplane/core/model/catalogue/tool-name";
import { isForModels } from "@toolplane/core/model/catalogue/tool-page";
import {
  createToolPaths,
  renderDeclarations,
  type ToolPaths,
} from "@toolplane/core/model/catalogue/tool-paths";
import { listOrEmpty } from "@toolplane/core/model/json";
import type { Plane } from "@toolplane/core/model/plane";
import type { Principal } from "@toolplane/core/model/principal";

const waitMs = 5_000;
const repeatedWaitMs = 500;
/** Names in a message for one that is not there. */
const maxNamed = 12;

type Ports = Pick<CodeParts, "plane" | "visibleTo" | "serverNames" | "onlyReads">;

type Index = { paths: ToolPaths; byKey: Map<string, Tool> };

/** A tool that a program names; its `tool` is unknown until its server has listed. */
type NamedToolRef = { asked: ToolId | string; tool: Tool | undefined };

export type ProgramTools = ReturnType<typeof createProgramTools>;

/** The tools of a caller under the names that programs use. */
export function createProgramTools({ plane, visibleTo, serverNames, onlyReads }: Ports) {
  const indexes = new WeakMap<readonly Tool[], Index>();
  const indexOf = (principal: Principal): Index => {
    const tools = visibleTo(principal);
    const index = indexes.get(tools) ?? {
      paths: createToolPaths(tools),
      byKey: new Map(tools.map((tool) => [toolKey(tool.id), tool])),
    };
    indexes.set(tools, index);
    return index;
  };
  const lookUp = (path: readonly string[], principal: Principal): NamedToolRef | undefined => {
    const { paths, byKey } = indexOf(principal);
    const id = paths.find(path);
    return id && { asked: id, tool: byKey.get(toolKey(id)) };
  };

  const list = (query: Parameters<Plane["tools"]["list"]>[0]): Promise<unknown> =>
    plane()
      .tools.list(query)
      .catch(() => undefined);
  // A server that never lists holds up one program, not all.
  let hasWaited = false;

  return {
    /** At once where it is listed; else its server is asked, and no other. */
    find(path: readonly string[], principal: Principal): NamedToolRef | Promise<NamedToolRef> {
      return lookUp(path, principal) ?? this.discover(path, principal);
    },
    async discover(path: readonly string[], principal: Principal): Promise<NamedToolRef> {
      const [first = "", ...toolPath] = path;
      const server = serverNames(principal).find(
        (name) => name === first || foldIdentifier(name) === first,
      );
      // The call itself looks for a name without a server.
      if (server === undefined || toolPath.length === 0)
        return { asked: path.join("."), tool: undefined };
      await list({ server, principal, waitMs });
      return (
        lookUp(path, principal) ?? { asked: { server, tool: toolPath.join(".") }, tool: undefined }
      );
    },
    /** Does a program look at the names, and not only call what it knows? Those of every server have to be there before. */
    async listFor(source: string, principal: Principal): Promise<void> {
      const otherText = source.replaceAll(toolPathShape, (call, _, bracket) =>
        bracket === undefined ? call : "",
      );
      if (!/\btools\b/.test(otherText)) return;
      const wait = hasWaited ? repeatedWaitMs : waitMs;
      hasWaited = true;
      await list({ principal, waitMs: wait });
    },
    /** What a path leads to: servers and tools without one, or the tools of a server. */
    names(
      [first, ...deeperPath]: readonly string[],
      principal: Principal,
      only: (tool: Tool) => boolean,
    ): string[] {
      if (deeperPath.length > 0) return [];
      const { paths, byKey } = indexOf(principal);
      const toolPaths = [...byKey.values()]
        .filter((tool) => isForModels(tool) && only(tool))
        .map(({ id }) => paths.pathOf(id));
      if (first === undefined) return [...new Set(toolPaths.map(([name = ""]) => name))];
      return toolPaths.flatMap(([server, tool]) =>
        tool !== undefined && server === first ? [tool] : [],
      );
    },
    /** For a path without a tool: what there is in its place, as a program writes it. */
    suggestionFor(
      path: readonly string[],
      principal: Principal,
      only: (tool: Tool) => boolean,
    ): string {
      const [first = "", ...toolPath] = path;
      const servers = this.names([], principal, only);
      const [server] = servers.includes(first) ? [first] : nearest(first, servers, 1);
      const names = server === undefined ? [] : this.names([server], principal, only);
      if (server !== undefined && toolPath.length === 0) return `Did you mean ${render([server])}?`;
      if (server === undefined || names.length === 0)
        return `There are: ${listed(servers.map((name) => render([name])))}. search('…') finds tools.`;
      const near = nearest(toolPath.join("_"), names, 3);
      if (near.length > 0)
        return `Did you mean ${near.map((name) => render([server, name])).join(" or ")}?`;
      return `${render([server])} has: ${listed(names)}. search('…') finds tools.`;
    },
    /** For a name that is no global, but a server or a tool. */
    suggestionForGlobal(
      { name, message }: ProgramError,
      principal: Principal,
      only: (tool: Tool) => boolean,
    ): string {
      const [, unknown = ""] =
        (name === "ReferenceError" && /^'?([\w$]+)'? is not defined$/.exec(message)) || [];
      if (unknown === "") return "";
      const { paths, byKey } = indexOf(principal);
      const visibleTools = [...byKey.values()].filter((tool) => isForModels(tool) && only(tool));
      const visiblePaths = visibleTools.map(({ id }) => paths.pathOf(id));
      const matchingPaths = visiblePaths.flatMap((path) =>
        path.includes(unknown) ? [path.slice(0, path.indexOf(unknown) + 1)] : [],
      );
      const names = [...new Set(matchingPaths.map(render))].slice(0, 3);
      if (names.length === 0) return "";
      return `. Did you mean ${names.join(" or ")}?`;
    },
    /** For a call with anything but one object. */
    argumentsHint(path: readonly string[], principal: Principal): string {
      const { properties = {}, required = [] } = lookUp(path, principal)?.tool?.parameters ?? {};
      const requiredNames = listOrEmpty(required);
      const names = Object.keys(properties as object).toSorted(
        (first, second) =>
          Number(requiredNames.includes(second)) - Number(requiredNames.includes(first)),
      );
      const shownArguments = names.slice(0, maxNamed).map((name) => `${JSON.stringify(name)}: …`);
      return `A call takes one object, with its arguments by name: ${render(path)}({ ${shownArguments.join(", ")} }).`;
    },
    /** Tools that the text names and that may change something, by line. */
    writesIn(source: string, principal: Principal): { line: number; name: string }[] {
      return namedIn(source).flatMap(({ path, line }) => {
        const tool = lookUp(path, principal)?.tool;
        if (tool === undefined || onlyReads(tool)) return [];
        return [{ line, name: tool.name }];
      });
    },
    async search(
      query: string,
      principal: Principal,
      { limit, only, face }: SearchOptions,
    ): Promise<CodeSearch> {
      const searchQuery = { query, ...withoutUndefined({ limit }) };
      const isShown = (tool: Tool) => isForModels(tool) && (only?.(tool) ?? true);
      const searchOptions = {
        principal,
        details: true,
        orWords: true,
        waitMs,
        only: isShown,
        ...withoutUndefined({ face }),
      };
      const answer = await plane().search(searchQuery, searchOptions);
      const { paths } = indexOf(principal);
      const foundTools = answer.tools.flatMap(({ tool }) => tool ?? []);
      return {
        query: answer.query,
        total: answer.total,
        declarations:
          foundTools.length === 0 ? "" : renderDeclarations(foundTools, paths, { isShort: true }),
        tools: answer.tools.flatMap(({ tool, name, summary }) =>
          tool ? [{ call: paths.render(tool.id), name, summary }] : [],
        ),
        ...withoutUndefined({ note: answer.note }),
      };
    },
  };
}

const render = (path: readonly string[]) => `tools${path.map(accessor).join("")}`;

function listed(names: readonly string[]): string {
  if (names.length <= maxNamed) return names.join(", ");
  return `${names.slice(0, maxNamed).join(", ")} and ${names.length - maxNamed} more`;
}

type SearchOptions = Pick<RunCodeOptions, "only" | "face"> & { limit?: number | undefined };

/** What is not closed counts too: looking for its end from every quote would take the square of the text. */
const blanks = /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|"(?:\\.|[^"\\\n])*("?)|'(?:\\.|[^'\\\n])*('?)/g;
/** What is not called is found too, so that no part of it is read again as a beginning. */
const toolPathShape =
  /\btools((?:\s*\??\.\s*[A-Za-z_$][\w$]*|\s*\[\s*§\d+§\s*\])+)(\s*(?:\?\.\s*)?\()?/g;
const pathStep = /\.\s*([A-Za-z_$][\w$]*)|§(\d+)§/g;

/** `tools.a.b(…)` as it is written; what a program only makes up is seen when it is called. */
export function namedIn(source: string): { path: string[]; line: number }[] {
  const texts: string[] = [];
  const blanked = source.replaceAll(blanks, (token, double?: string, single?: string) => {
    if (token.startsWith("/")) return token.replaceAll(/[^\n]/g, "") || " ";
    if (double || single) return `§${texts.push(token.slice(1, -1)) - 1}§`;
    return token;
  });
  let line = 1;
  let countedTo = 0;
  return [...blanked.matchAll(toolPathShape)].flatMap((match) => {
    if (match[2] === undefined) return [];
    line += blanked.slice(countedTo, match.index).split("\n").length - 1;
    countedTo = match.index;
    const path = [...(match[1] ?? "").matchAll(pathStep)].map(
      ([, name, text]) => name ?? texts[Number(text)] ?? "",
    );
    return [{ path, line }];
  });
}
