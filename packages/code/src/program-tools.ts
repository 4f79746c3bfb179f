import type { CodeParts } from "@toolplane/core/agent";
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
import type { Plane } from "@toolplane/core/model/plane";
import type { Principal } from "@toolplane/core/model/principal";

const waitMs = 5_000;
const againMs = 500;
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
    const known = indexes.get(tools) ?? {
      paths: createToolPaths(tools),
      byKey: new Map(tools.map((tool) => [toolKey(tool.id), tool])),
    };
    indexes.set(tools, known);
    return known;
  };
  const lookUp = (path: readonly string[], principal: Principal): NamedToolRef | undefined => {
    const { paths, byKey } = indexOf(principal);
    const id = paths.find(path);
    return id && { asked: id, tool: byKey.get(toolKey(id)) };
  };

  const list = (asked: Parameters<Plane["tools"]["list"]>[0]): Promise<unknown> =>
    plane()
      .tools.list(asked)
      .catch(() => undefined);
  // A server that never lists holds up one program, not all.
  let hasWaited = false;

  return {
    /** At once where it is listed; else its server is asked, and no other. */
    find(path: readonly string[], principal: Principal): NamedToolRef | Promise<NamedToolRef> {
      return lookUp(path, principal) ?? this.discover(path, principal);
    },
    async discover(path: readonly string[], principal: Principal): Promise<NamedToolRef> {
      const [first = "", ...rest] = path;
      const server = serverNames(principal).find(
        (name) => name === first || foldIdentifier(name) === first,
      );
      // The call itself looks for a name without a server.
      if (server === undefined || rest.length === 0)
        return { asked: path.join("."), tool: undefined };
      await list({ server, principal, waitMs });
      return (
        lookUp(path, principal) ?? { asked: { server, tool: rest.join(".") }, tool: undefined }
      );
    },
    /** Does a program look at the names, and not only call what it knows? Those of every server have to be there before. */
    async listFor(source: string, principal: Principal): Promise<void> {
      const others = source.replaceAll(named, (found, _, call) =>
        call === undefined ? found : "",
      );
      if (!/\btools\b/.test(others)) return;
      const wait = hasWaited ? againMs : waitMs;
      hasWaited = true;
      await list({ principal, waitMs: wait });
    },
    /** What a path leads to: servers and tools without one, or the tools of a server. */
    names(
      [first, ...rest]: readonly string[],
      principal: Principal,
      only: (tool: Tool) => boolean,
    ): string[] {
      if (rest.length > 0) return [];
      const { paths, byKey } = indexOf(principal);
      const all = [...byKey.values()]
        .filter((tool) => isForModels(tool) && only(tool))
        .map(({ id }) => paths.pathOf(id));
      if (first === undefined) return [...new Set(all.map(([name = ""]) => name))];
      return all.flatMap(([server, tool]) =>
        tool !== undefined && server === first ? [tool] : [],
      );
    },
    /** For a path without a tool: what there is in its place, as a program writes it. */
    instead(path: readonly string[], principal: Principal, only: (tool: Tool) => boolean): string {
      const [first = "", ...rest] = path;
      const servers = this.names([], principal, only);
      const [server] = servers.includes(first) ? [first] : nearest(first, servers, 1);
      const names = server === undefined ? [] : this.names([server], principal, only);
      if (server !== undefined && rest.length === 0) return `Did you mean ${render([server])}?`;
      if (server === undefined || names.length === 0)
        return `There are: ${listed(servers.map((name) => render([name])))}. search('…') finds tools.`;
      const near = nearest(rest.join("_"), names, 3);
      if (near.length > 0)
        return `Did you mean ${near.map((name) => render([server, name])).join(" or ")}?`;
      return `${render([server])} has: ${listed(names)}. search('…') finds tools.`;
    },
    /** For a name that is no global, but a server or a tool. */
    meant(
      { name, message }: ProgramError,
      principal: Principal,
      only: (tool: Tool) => boolean,
    ): string {
      const [, unknown = ""] =
        (name === "ReferenceError" && /^'?([\w$]+)'? is not defined$/.exec(message)) || [];
      if (unknown === "") return "";
      const { paths, byKey } = indexOf(principal);
      const shown = [...byKey.values()].filter((tool) => isForModels(tool) && only(tool));
      const found = shown.map(({ id }) => paths.pathOf(id));
      const all = found.flatMap((path) =>
        path.includes(unknown) ? [path.slice(0, path.indexOf(unknown) + 1)] : [],
      );
      const names = [...new Set(all.map(render))].slice(0, 3);
      return names.length === 0 ? "" : `. Did you mean ${names.join(" or ")}?`;
    },
    /** For a call with anything but one object. */
    takes(path: readonly string[], principal: Principal): string {
      const { properties = {}, required = [] } = lookUp(path, principal)?.tool?.parameters ?? {};
      const needed = Array.isArray(required) ? required : [];
      const names = Object.keys(properties as object).toSorted(
        (one, other) => Number(needed.includes(other)) - Number(needed.includes(one)),
      );
      const shown = names.slice(0, maxNamed).map((name) => `${JSON.stringify(name)}: …`);
      return `A call takes one object, with its arguments by name: ${render(path)}({ ${shown.join(", ")} }).`;
    },
    /** Tools that the text names and that may change something, by line. */
    writesIn(source: string, principal: Principal): { line: number; name: string }[] {
      return namedIn(source).flatMap(({ path, line }) => {
        const tool = lookUp(path, principal)?.tool;
        return tool === undefined || onlyReads(tool) ? [] : [{ line, name: tool.name }];
      });
    },
    async search(
      query: string,
      principal: Principal,
      { limit, only, face }: SearchOptions,
    ): Promise<CodeSearch> {
      const asked = { query, ...(limit === undefined ? {} : { limit }) };
      const isShown = (tool: Tool) => isForModels(tool) && (only?.(tool) ?? true);
      const by = {
        principal,
        details: true,
        orWords: true,
        waitMs,
        only: isShown,
        ...(face && { face }),
      };
      const answer = await plane().search(asked, by);
      const { paths } = indexOf(principal);
      const found = answer.tools.flatMap(({ tool }) => tool ?? []);
      return {
        query: answer.query,
        total: answer.total,
        declarations: found.length === 0 ? "" : renderDeclarations(found, paths, { isShort: true }),
        tools: answer.tools.flatMap(({ tool, name, summary }) =>
          tool ? [{ call: paths.render(tool.id), name, summary }] : [],
        ),
        ...(answer.note === undefined ? {} : { note: answer.note }),
      };
    },
  };
}

const render = (path: readonly string[]) => `tools${path.map(accessor).join("")}`;

const listed = (names: readonly string[]) =>
  names.length <= maxNamed
    ? names.join(", ")
    : `${names.slice(0, maxNamed).join(", ")} and ${names.length - maxNamed} more`;

type SearchOptions = Pick<RunCodeOptions, "only" | "face"> & { limit?: number | undefined };

/** What is not closed counts too: looking for its end from every quote would take the square of the text. */
const blanks = /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|"(?:\\.|[^"\\\n])*("?)|'(?:\\.|[^'\\\n])*('?)/g;
/** What is not called is found too, so that no part of it is read again as a beginning. */
const named = /\btools((?:\s*\??\.\s*[A-Za-z_$][\w$]*|\s*\[\s*§\d+§\s*\])+)(\s*(?:\?\.\s*)?\()?/g;
const step = /\.\s*([A-Za-z_$][\w$]*)|§(\d+)§/g;

/** `tools.a.b(…)` as it is written; what a program only makes up is seen when it is called. */
export function namedIn(source: string): { path: string[]; line: number }[] {
  const texts: string[] = [];
  const plain = source.replaceAll(blanks, (found, double?: string, single?: string) => {
    if (found.startsWith("/")) return found.replaceAll(/[^\n]/g, "") || " ";
    return double || single ? `§${texts.push(found.slice(1, -1)) - 1}§` : found;
  });
  let line = 1;
  let counted = 0;
  return [...plain.matchAll(named)].flatMap((match) => {
    if (match[2] === undefined) return [];
    line += plain.slice(counted, match.index).split("\n").length - 1;
    counted = match.index;
    const path = [...(match[1] ?? "").matchAll(step)].map(
      ([, name, text]) => name ?? texts[Number(text)] ?? "",
    );
    return [{ path, line }];
  });
}
