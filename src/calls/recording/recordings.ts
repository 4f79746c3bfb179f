import { resolve } from "node:path";
import { briefJson } from "../../lib/json/render-json.ts";
import type { Executed, Routed } from "../../model/calls/call.ts";
import { normalizeResult } from "../../model/calls/result.ts";
import type { ListOwner } from "../../model/catalogue/list-owner.ts";
import { ProviderSpec, type Tool, ToolManifest } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import type { PlaneOptions } from "../../model/plane-options.ts";
import { type KnownServer, ServerDefinition } from "../../model/servers/server.ts";
import type { Around } from "../execute.ts";
import { argumentsIn, callKey, createMask, type MaskPorts } from "./lines.ts";
import { type Recording, readRecording } from "./read-recording.ts";
import { createRecordingWriter, type RecordingWriter } from "./write-recording.ts";

type Options = Pick<PlaneOptions, "record" | "replay" | "replayMiss">;
export type RecordingsContext = {
  readonly options: Options;
  readonly settings: MaskPorts;
  readonly catalogue: { registry: { all(): readonly Tool[] } };
};

type Recorded = (server: string) => Omit<KnownServer, "identity"> | undefined;
type Listening = {
  onTools(
    server: string,
    definition: ServerDefinition,
    tools: unknown[],
    era: KnownServer["era"],
    owner?: ListOwner,
  ): void;
  onKnown(listing: KnownServer, server: string, definition: ServerDefinition): void;
};

export type Recordings = {
  /** No server is started. */
  isOffline: boolean;
  adapt: ((config: Config) => Config) | undefined;
  /** What servers list is recorded, or taken from the recording. */
  watch(ports: Listening, defaultUser: string | null): Partial<Listening> & { recorded?: Recorded };
  /** `inner` answers what is not replayed. */
  around(tool: Tool, inner: Around | null): Around | null;
  close(): Promise<void>;
};

/** What is recorded and what is replayed. Files that cannot be used are refused before anything runs. */
export async function openRecordings(context: RecordingsContext): Promise<Recordings> {
  const { record, replay, replayMiss = "fail" } = context.options;
  requireFitting(context.options);
  const ports = {
    secretValues: () => context.settings.secretValues(),
    config: () => context.settings.config(),
    tools: () => context.catalogue.registry.all(),
  };
  const recording = replay === undefined ? null : await readRecording(replay);
  const writer = record === undefined ? null : createRecordingWriter(record, ports);
  const isLive = replayMiss === "live";
  const replayed = recording && createReplay(recording, isLive, createMask(ports));
  return {
    isOffline: recording !== null && !isLive,
    adapt: recording ? (config: Config) => adaptConfig(config, recording, isLive) : undefined,
    watch({ onTools, onKnown }, defaultUser) {
      const recorded: Recorded = (server) => {
        const listing = recording?.servers.get(server);
        return listing && { ...listing, eraAt: listing.listedAt };
      };
      const recordedPart = recording ? { recorded } : {};
      if (writer === null) return recordedPart;
      return {
        ...recordedPart,
        onTools(server, definition, tools, era, owner) {
          onTools(server, definition, tools, era, owner);
          if (owner === undefined || owner.directory !== undefined || owner.user === defaultUser)
            writer.listed(server, definition, { era, tools });
        },
        onKnown(listing, server, definition) {
          onKnown(listing, server, definition);
          writer.listed(server, definition, listing);
        },
      };
    },
    around(tool, inner) {
      if (recording === null && writer === null) return inner;
      // What reads kept results only works on those of now.
      if (tool.providers.some(({ name }) => name === "builtin")) return inner;
      const live: Around = inner ?? ((call, asking, run) => run(call, asking));
      const answered: Around = replayed ? (...request) => replayed(live, ...request) : live;
      if (!writer) return answered;
      return (...request) => recorded(writer, answered, ...request);
    },
    close: async () => writer?.close(),
  };
}

function requireFitting({ record, replay, replayMiss }: Options): void {
  function refuse(text: string) {
    throw new PlaneError("USAGE", text);
  }

  if (replayMiss !== undefined && replayMiss !== "fail" && replayMiss !== "live")
    refuse(`'${replayMiss}' is no way to treat a call that was not recorded. Use fail or live.`);
  if (replayMiss !== undefined && replay === undefined)
    refuse(
      "What becomes of a call that was not recorded is only asked with a recording. Add --replay FILE.",
    );
  if (record !== undefined && replay !== undefined && resolve(record) === resolve(replay))
    refuse(`'${record}' cannot be replayed and recorded at once. Record into another file.`);
}

async function recorded(
  writer: RecordingWriter,
  answer: Around,
  ...request: Parameters<Around>
): Promise<Executed> {
  const end = writer.begin(request[0]);
  try {
    const executed = await answer(...request);
    end({ executed });
    return executed;
  } catch (thrown) {
    end({ thrown });
    throw thrown;
  }
}

function createReplay(recording: Recording, isLive: boolean, mask: ReturnType<typeof createMask>) {
  return async (live: Around, ...request: Parameters<Around>): Promise<Executed> => {
    const [call] = request;
    const args = argumentsIn(call);
    const key = callKey(call.tool.id, args);
    // A masked part of a result may have come back as an argument.
    const position = recording.take(key) ?? takeMasked();
    if (position === null) {
      if (isLive) return live(...request);
      throw await missing(call, key, recording);
    }
    const { result, error, provider = "mcp", warnings = [] } = await recording.read(position);
    if (error) throw new PlaneError(error.code, error.message, { data: error.data });
    const attempts = [{ provider, ok: true, durationMs: 0, error: null }];
    const executed = {
      result: normalizeResult(result).result,
      provider,
      attempts,
      warnings,
      replayed: true as const,
    };
    return { ...call, executed };

    function takeMasked() {
      const masked = callKey(call.tool.id, mask.all(args));
      if (masked === key) return null;
      return recording.take(masked);
    }
  };
}

const maxShown = 300;
const maxNames = 10;

async function missing(call: Routed, key: string, recording: Recording): Promise<PlaneError> {
  const { name, id } = call.tool;
  const count = recording.count(key);
  const nearest = count > 0 ? null : await recording.nearest(id, argumentsIn(call));
  const explanation = explainMiss(name, count, nearest, recording.toolNames());
  const remedy = "Record it again, or let such calls through with --replay-miss live.";
  const data = { tool: name, recorded: count, nearest, sent: false };
  return new PlaneError("NOT_RECORDED", `${explanation} ${remedy}`, { data });
}

function explainMiss(
  tool: string,
  count: number,
  nearest: JsonObject | null,
  toolNames: string[],
): string {
  if (count > 0) {
    const calls = count === 1 ? "one call" : `${count} calls`;
    return `The recording has ${calls} of '${tool}' with these arguments, and this is one more.`;
  }
  if (nearest)
    return `The recording has no call of '${tool}' with these arguments. The nearest has ${briefJson(nearest, maxShown)}.`;
  if (toolNames.length === 0) return `The recording has no call of '${tool}'. It has none at all.`;
  const listed = toolNames.slice(0, maxNames);
  if (toolNames.length > maxNames) listed.push("…");
  return `The recording has no call of '${tool}'. It has calls of ${listed.join(", ")}.`;
}

/** Nothing is started by it. */
const unreachable = { command: "toolplane-replay", args: [], env: {}, transport: "stdio" } as const;

/** The servers of the recording, as they are configured here where they are, and its hand-written tools. */
function adaptConfig(config: Config, recording: Recording, isLive: boolean): Config {
  const servers = [...recording.servers].map(([name, { settings }]) => {
    const configured = config.servers[name];
    if (configured && isLive) return [name, configured] as const;
    const {
      url: _,
      headers: __,
      auth: ___,
      cwd: ____,
      inheritEnv: _____,
      ...set
    } = configured ?? settings;
    const parsed = ServerDefinition.safeParse({ ...set, ...unreachable });
    return [name, parsed.success ? parsed.data : ServerDefinition.parse(unreachable)] as const;
  });

  function without<T>(byServer: Record<string, T>): Record<string, T> {
    return Object.fromEntries(
      Object.entries(byServer).filter(([name]) => isLive && !recording.servers.has(name)),
    );
  }

  const configuredTools = new Set([
    ...Object.keys(config.tools),
    ...config.fromManifests.tools.map(({ name }) => name),
  ]);
  const provider = ProviderSpec.parse({
    name: "http",
    config: { url: "http://recording.invalid/" },
  });
  const tools = [...recording.tools.values()].flatMap((manifest) => {
    if (configuredTools.has(manifest.name)) return [];
    const parsed = ToolManifest.safeParse({ ...manifest, providers: [provider] });
    if (!parsed.success) return [];
    return [[manifest.name, parsed.data] as const];
  });
  return {
    ...config,
    servers: { ...(isLive ? config.servers : {}), ...Object.fromEntries(servers) },
    tools: { ...config.tools, ...Object.fromEntries(tools) },
    broken: without(config.broken),
    untrusted: without(config.untrusted),
    // What is replayed is the same wherever it is asked for.
    inWorkspace: config.inWorkspace.filter((name) => isLive || !recording.servers.has(name)),
    problems: [...config.problems, ...recording.problems],
  };
}
