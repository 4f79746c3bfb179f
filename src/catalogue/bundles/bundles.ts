import { type CheckedEntry, checkManifestEntry, checkTasksExist } from "../../config/config.ts";
import { once } from "../../lib/async/once.ts";
import { didYouMean, nearest } from "../../lib/text/nearest.ts";
import type { BundleChoice, BundleEntry, EntryKind } from "../../model/catalogue/change.ts";
import { type ConfigProblem, renderConfigProblem } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import { renderPath } from "../../model/json.ts";
import type { PlaneRegistry } from "../../model/plane-tools.ts";
import { type Inside, requireScope } from "../../model/principal.ts";
import type { JobManifest, TaskManifest } from "../../model/work/job.ts";
import {
  asPerson,
  discoveredProblem,
  type EditPorts,
  readReason,
  schemaProblems,
} from "../changes/change-verbs.ts";
import { type EntryEdit, toStoredManifest } from "../changes/entries.ts";
import { asWritten, entryKey, keyText, type WrittenEntry } from "../changes/entry.ts";

type BundlePorts = EditPorts & {
  /** Of the signing key. */
  directory: string | undefined;
  trustedKeys(): readonly string[];
};

export function createBundleVerbs(
  ports: BundlePorts,
): Pick<Inside<PlaneRegistry>, "export" | "import"> {
  const { entries, environment } = ports;
  // Node's cryptography is loaded on first use.
  const signing = once(async () => {
    const { readSignedBundle, writeBundle, loadSigningKey } = await import("./signed-bundle.ts");
    return { readSignedBundle, writeBundle, key: loadSigningKey(ports.directory) };
  });

  return {
    async export(choice = {}, { principal }) {
      requireScope(principal, "admin", "export the catalogue");
      await entries.reload();
      const chosen = choose(entries.all(), choice);
      const written = chosen.map(({ kind, manifest }) => ({ kind, manifest: asWritten(manifest) }));
      const checked = await Promise.all(
        written.map(async (entry) =>
          problemsOf(entry, await checkManifestEntry(entry.kind, entry.manifest, environment)),
        ),
      );
      const problems = checked.flat();
      if (problems.length > 0) throw invalid("cannot be exported", problems);
      const { writeBundle, key } = await signing();
      const bundle = writeBundle(written, principal.user, key);
      return {
        bundle: Buffer.from(JSON.stringify(bundle)).toString("base64"),
        entries: chosen.map(entryKey),
        hash: bundle.hash,
        fingerprint: key.fingerprint,
      };
    },
    async import(text, { reason, dryRun = false }, caller) {
      const { principal } = caller;
      requireScope(principal, "admin", "change the catalogue");
      const readableReason = readReason(reason);
      if (readableReason === null && !dryRun)
        throw new PlaneError(
          "USAGE",
          "An import needs a reason: say why with 'reason' or --reason.",
        );
      const { readSignedBundle, key } = await signing();
      const { fingerprint, exportedBy, exportedAt, ...bundle } = readSignedBundle(
        String(text),
        (signer) => signer === key.fingerprint || ports.trustedKeys().includes(signer),
      );
      await entries.reload();
      const { edit, warnings } = await toEdit(bundle.entries, principal.user, ports);
      const changes = dryRun
        ? entries.plan(edit)
        : await entries.edit(edit, { by: asPerson(caller, principal), reason: readableReason });
      return { dryRun, entries: changes, warnings, fingerprint, exportedBy, exportedAt };
    },
  };
}

async function toEdit(
  bundled: readonly BundleEntry[],
  user: string | null,
  { entries, environment, discovered }: BundlePorts,
): Promise<{ edit: EntryEdit; warnings: string[] }> {
  const keys = new Set<string>();
  const problems: string[] = [];
  const warnings: string[] = [];
  const put: EntryEdit["put"][number][] = [];
  for (const entry of bundled) {
    const checked = await checkManifestEntry(entry.kind, entry.manifest, environment);
    const { name = "", manifest, unusable } = checked;
    const entryProblems = problemsOf(entry, checked);
    const id = entry.kind === "tool" && name !== "" ? await discovered(name) : null;
    if (id) entryProblems.push(discoveredProblem(name, id));
    const key = keyText({ kind: entry.kind, name, persona: manifest?.persona ?? null });
    if (keys.has(key)) entryProblems.push(`${entry.kind} '${name}': it is in the bundle twice`);
    keys.add(key);
    problems.push(...entryProblems);
    warnings.push(...unusable.map((problem) => renderFor(entry, problem)));
    if (manifest && entryProblems.length === 0)
      put.push(toStoredManifest(entry.kind, manifest, user));
  }
  problems.push(...danglingTasks(put, entries));
  if (problems.length > 0) throw invalid("cannot be imported", problems);
  return { edit: { put, remove: [] }, warnings };
}

function danglingTasks(put: EntryEdit["put"], entries: BundlePorts["entries"]): string[] {
  const ofKind = <T>(kind: EntryKind) =>
    put.filter(({ entry }) => entry.kind === kind).map(({ manifest }) => manifest as T);
  const tasks = [...ofKind<TaskManifest>("task"), ...entries.manifests().tasks];
  return ofKind<JobManifest>("job").flatMap((job) => {
    const problems: string[] = [];
    checkTasksExist(job, tasks, (path, message, hint) =>
      problems.push(`job '${job.name}': ${renderPath(path)}: ${message}. ${hint}`),
    );
    return problems;
  });
}

function problemsOf(entry: BundleEntry, { problems }: CheckedEntry): string[] {
  const schema = entry.kind === "tool" ? schemaProblems(entry.manifest.parameters) : [];
  return [...problems, ...schema].map((problem) => renderFor(entry, problem));
}

function renderFor({ kind, manifest }: BundleEntry, problem: ConfigProblem): string {
  return `${kind} '${manifest.name ?? "?"}': ${renderConfigProblem(problem).replace("(given): ", "")}`;
}

function invalid(what: string, problems: readonly string[]): PlaneError {
  return new PlaneError("ENTRY_INVALID", `The bundle ${what}:\n${problems.join("\n")}`, {
    data: { problems },
  });
}

function choose(
  written: readonly WrittenEntry[],
  { names, persona, kinds }: BundleChoice,
): WrittenEntry[] {
  const possible = written.filter(
    ({ kind, manifest }) =>
      (kinds === undefined || kinds.includes(kind)) &&
      (persona === undefined || (manifest.persona ?? "shared") === persona),
  );
  const possibleNames = possible.map(({ manifest }) => manifest.name);
  const missing = names?.find((name) => !possibleNames.includes(name));
  if (missing !== undefined) throw noSuchEntry(missing, possibleNames);
  const chosen = possible.filter(
    ({ manifest }) => names === undefined || names.includes(manifest.name),
  );
  if (chosen.length > 0) return chosen;
  throw new PlaneError(
    "NOT_FOUND",
    "No hand-written entry matches, so there is nothing to export.",
  );
}

function noSuchEntry(name: string, possibleNames: readonly string[]): PlaneError {
  const hint = didYouMean(
    nearest(name, possibleNames),
    "Tools of servers and tools that a program registers cannot be exported.",
  );
  return new PlaneError("NOT_FOUND", `No hand-written entry '${name}'. ${hint}`, {
    data: { name },
  });
}
