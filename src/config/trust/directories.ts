import { realpathSync, statSync } from "node:fs";
import type { TrustLine } from "../../model/config/setup.ts";
import { PlaneError } from "../../model/errors.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { LoadedConfig } from "../load-config.ts";
import type { TrustAnswers } from "./answers.ts";
import { ownLine } from "./own-servers.ts";

/** Why a server does not run in a directory. */
export type Obstacle = { what: string; remedy: string };

/** Directories whose servers are kept expanded. */
const maxDirectories = 64;

/** The user's own servers in the directories of those who use them. Answers are read each time: another process may have asked. */
export function createDirectories(current: () => LoadedConfig, answers: TrustAnswers) {
  let expanded = {
    loadedFrom: null as LoadedConfig | null,
    directories: new Map<string, ReturnType<LoadedConfig["serversIn"]>>(),
  };

  /** As the configuration is now. */
  function serversIn(directory: string) {
    const of = current();
    if (expanded.loadedFrom !== of || expanded.directories.size >= maxDirectories)
      expanded = { loadedFrom: of, directories: new Map() };
    const servers = expanded.directories.get(directory) ?? of.serversIn(directory);
    expanded.directories.set(directory, servers);
    return servers;
  }

  function lineIn(server: string, directory: string): TrustLine {
    return ownLine(server, current().merged, answers.of(directory));
  }

  function whyNot(server: string, directory: string): Obstacle | null {
    const obstacle = whyNoDirectory(directory);
    if (obstacle !== null) return obstacle;
    const problem = serversIn(directory).broken[server];
    if (problem !== undefined)
      return { what: problem, remedy: "'toolplane config validate' says more" };
    if (lineIn(server, directory).trusted) return null;
    return {
      what: `not trusted yet: it would work in ${directory}`,
      remedy: `Look at what it starts, then trust it: run 'toolplane trust' in ${directory}`,
    };
  }

  return {
    /** Null where a person trusts the directory for it. */
    whyNot,
    /** What a person is asked there, and was not yet. */
    unanswered(directory: string): TrustLine[] {
      if (whyNoDirectory(directory) !== null) return [];
      const answer = answers.of(directory);
      const { config, merged } = current();
      const names = config.inWorkspace.filter((name) => config.servers[name]?.enabled);
      return names
        .map((name) => ownLine(name, merged, answer))
        .filter(({ hash }) => answer(hash) === undefined);
    },
    definitionIn(server: string, directory: string): ServerDefinition {
      const { servers, broken } = serversIn(directory);
      const definition = servers[server];
      if (definition !== undefined) return definition;
      throw new PlaneError(
        "CONFIG_INVALID",
        `Server '${server}' cannot run in ${directory}: ${broken[server]}.`,
      );
    },
    /** Throws where it may not run. It may have been trusted when it was asked for, and not be when it starts. */
    requireTrusted(server: string, directory: string): void {
      const obstacle = whyNot(server, directory);
      if (obstacle === null) return;
      throw new PlaneError(
        "SERVER_UNAVAILABLE",
        `Server '${server}' cannot run: ${obstacle.what}. ${obstacle.remedy}.`,
        {
          data: { server, sent: false, retryAt: null },
        },
      );
    },
    /** Only what a line says now: one that changed since it was shown has another hash. */
    async answer(directory: string, hashes: readonly string[], trusted: boolean): Promise<void> {
      const { config, merged } = current();
      const lines = config.inWorkspace.map((name) => ownLine(name, merged, answers.of(directory)));
      const answeredLines = lines.filter(({ hash }) => hashes.includes(hash));
      if (answeredLines.length < new Set(hashes).size || whyNoDirectory(directory) !== null)
        throw new PlaneError(
          "CONFLICT",
          `No server with this hash works in ${directory}; it may have changed.`,
        );
      await answers.remember(directory, answeredLines, trusted);
    },
  };
}

/** What was trusted is this directory and no other that a name leads to later. */
function whyNoDirectory(directory: string): Obstacle | null {
  try {
    if (realpathSync(directory) === directory && statSync(directory).isDirectory()) return null;
    return {
      what: `${directory} is a link, or no directory`,
      remedy: "Start the client in the directory itself",
    };
  } catch {
    return {
      what: `the directory ${directory} is gone`,
      remedy: "Start the client in a directory that is there",
    };
  }
}
