import { bundled } from "./bundled.ts";
import { loadSetup, ownProgram, processEnvironment, type TryServer } from "./config/config.ts";
import { withoutUndefined } from "./lib/json/plain-data.ts";
import { readProxiesFrom } from "./lib/net/proxy.ts";
import { findLocalFiles, type LocalPlace, localCaller } from "./local-files.ts";
import type { AuditedWork } from "./model/audit.ts";
import type { Setup } from "./model/config/setup.ts";

/** The same person's configuration, to be looked at and changed. */
export async function openLocalSetup(
  options: Omit<LocalPlace, "dataDirectory"> & Partial<LocalPlace>,
): Promise<Setup> {
  const environment = processEnvironment();
  readProxiesFrom(environment);
  const { dataDirectory } = findLocalFiles({ dataDirectory: undefined, ...options });
  const tryServer: TryServer = async (name, definition, where) => {
    const doctor = await bundled.doctor();
    return doctor.tryServer(name, definition, { ...where, packages: bundled });
  };
  const machine = { environment, platform: process.platform, program: ownProgram() };
  return loadSetup({ ...options, ...machine, dataDirectory, tryServer }, bundled.import);
}

type RecordChange = <T>(work: AuditedWork, run: () => Promise<T>) => Promise<T>;

/** For commands, which change the files themselves: each change leaves a record, whether a plane serves or not. */
export async function openRecordedSetup(localPlace: LocalPlace): Promise<Setup> {
  const setup = await openLocalSetup(localPlace);
  const record: RecordChange = async (work, run) => {
    const { openAudit } = await import("./state.ts");
    const { files, projectFiles, dataDirectory } = findLocalFiles(localPlace);
    const principal = localCaller({ groups: [] });
    await using audit = await openAudit(
      { config: files, projectFiles, dataDirectory, principal },
      bundled,
    );
    // Awaited here: otherwise the record is closed while the change runs, and a refusal ends the process.
    return await audit.run(work, {}, run);
  };
  return { ...setup, ...recordedEntries(setup, record), ...recordedClients(setup, record) };
}

type EditVerb =
  | "addServers"
  | "updateServers"
  | "init"
  | "addServer"
  | "putServer"
  | "editServer"
  | "removeServer"
  | "putToolset"
  | "removeToolset"
  | "putModel";

function recordedEntries(setup: Setup, record: RecordChange): Pick<Setup, EditVerb> {
  const servers = async () => (await setup.written()).servers;
  const server = (operation: string, target: string, file?: string): AuditedWork => ({
    operation,
    target,
    input: withoutUndefined({ file }),
    snapshot: async () => (await servers())[target],
  });
  const toolset = (operation: string, target: string): AuditedWork => ({
    operation,
    target,
    snapshot: async () => (await setup.written()).toolsets[target],
  });
  return {
    init: (how) =>
      record(
        { operation: "config.init", target: how.file ?? null, input: how, snapshot: servers },
        () => setup.init(how),
      ),
    addServers(what, how, hooks) {
      const run = () => setup.addServers(what, how, hooks);
      if (how.dryRun) return run();
      return record(
        { operation: "servers.add", input: { name: how.name }, snapshot: servers },
        run,
      );
    },
    updateServers(name, how) {
      const run = () => setup.updateServers(name, how);
      if (how?.apply)
        return record(
          { operation: "servers.update", target: name ?? null, snapshot: servers },
          run,
        );
      return run();
    },
    addServer: (name, entry, file) =>
      record(server("servers.set", name, file), () => setup.addServer(name, entry, file)),
    putServer: (name, entry) =>
      record(server("servers.set", name), () => setup.putServer(name, entry)),
    editServer: (name, change) =>
      record(server("servers.set", name), () => setup.editServer(name, change)),
    removeServer: (name, file) =>
      record(server("servers.remove", name, file), () => setup.removeServer(name, file)),
    putToolset: (name, entry) =>
      record(toolset("toolsets.set", name), () => setup.putToolset(name, entry)),
    removeToolset: (name) =>
      record(toolset("toolsets.remove", name), () => setup.removeToolset(name)),
    putModel: (name, entry) =>
      record({ operation: "models.set", target: name, snapshot: async () => null }, () =>
        setup.putModel(name, entry),
      ),
  };
}

function recordedClients(
  setup: Setup,
  record: RecordChange,
): Pick<Setup, "importClients" | "connectClient" | "disconnectClient" | "trust"> {
  const client = (operation: string, target: string, input: unknown): AuditedWork => ({
    operation,
    target,
    input,
    snapshot: async () => (await setup.clients()).find((listed) => listed.client === target),
  });
  const { trust } = setup;
  return {
    importClients(names, how) {
      const snapshot = async () => (await setup.written()).servers;
      const run = () => setup.importClients(names, how);
      if (how.dryRun) return run();
      return record({ operation: "servers.import", input: { names, ...how }, snapshot }, run);
    },
    connectClient(name, how) {
      const run = () => setup.connectClient(name, how);
      if (how?.dryRun) return run();
      return record(client("clients.connect", name, how), run);
    },
    disconnectClient: (name, how) =>
      record(client("clients.disconnect", name, how), () => setup.disconnectClient(name, how)),
    trust: {
      ...trust,
      answer: (lines, trusted) =>
        record(
          {
            operation: trusted ? "trust.approve" : "trust.decline",
            input: { lines, trusted },
            snapshot: trust.show,
          },
          () => trust.answer(lines, trusted),
        ),
      revoke: () => record({ operation: "trust.revoke", snapshot: trust.show }, trust.revoke),
    },
  };
}
