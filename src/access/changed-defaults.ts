import { createHeardValues } from "../lib/async/heard-values.ts";
import { compareVersions, parseVersion } from "../lib/semver.ts";
import { version as ownVersion } from "../lib/version.ts";
import {
  type DeclaredDefault,
  type DefaultDecision,
  decisionOn,
  declaredDefaults,
  type StoredDecision,
} from "../model/config/changed-defaults.ts";
import type { ChangedDefault, ChangedDefaults } from "../model/config/changed-defaults-schema.ts";
import { PlaneError } from "../model/errors.ts";
import type { Caller } from "../model/principal.ts";
import type { Store, StoreNews } from "../model/store.ts";

type Ports = {
  store(): Promise<Store>;
  onNews(listener: (news: StoreNews) => void): unknown;
  /** Whether other planes tell of what they decide. */
  isInformed(): boolean;
  /** The files that make this plane another one than those that share its store. */
  planeFiles(): readonly string[];
  isConfigured(key: string): boolean;
};

/** Where decisions of other processes are not announced. */
const readAgainMs = 1_000;

/** What an older version's defaults were, for planes whose store it made, and what a person decided about each. */
export function createChangedDefaults(
  { store, onNews, isInformed, planeFiles, isConfigured }: Ports,
  declared: readonly DeclaredDefault[] = declaredDefaults,
) {
  const stored = createHeardValues<ChangedDefaults>({
    read: async () => readDefaults(await store()),
    isInformed,
    untoldMs: readAgainMs,
  });
  onNews(({ what }) => {
    if (what === "defaults") stored.changed();
  });

  async function readDefaults(opened: Store): Promise<ChangedDefaults> {
    const [versions, decisions] = await Promise.all([
      opened.storeVersions(),
      opened.defaultDecisions(),
    ]);
    const madeBy = versions[0]?.version ?? ownVersion;
    const files = planeFiles();
    const changes = declared
      .filter(({ version }) => isOlder(madeBy, version))
      .map((change) => viewOf(change, decisionOn(change.id, decisions, files)));
    const undecided = changes.filter(({ decision }) => decision === "undecided").length;
    return { madeBy, undecided, changes };
  }

  function viewOf(change: DeclaredDefault, decision: StoredDecision | undefined): ChangedDefault {
    const { id, version, summary, before, now, loosens, gone } = change;
    const isSet = isConfigured(id);
    return {
      id,
      version,
      summary,
      before,
      now,
      loosens,
      gone,
      decision: isSet ? "configured" : (decision?.decision ?? "undecided"),
      inForce: isSet ? "configuration" : defaultInForce(change, decision?.decision),
      decidedBy: decision?.decidedBy ?? null,
      decidedAt: decision?.decidedAt ?? null,
    };
  }

  async function decide(
    id: string,
    decision: DefaultDecision,
    caller?: Caller,
  ): Promise<ChangedDefault> {
    const change = await find(id);
    if (decision === "keep" && change.gone !== null) throw cannotBeKept(change);
    const opened = await store();
    await opened
      .decideDefault({
        files: planeFiles(),
        change: id,
        decision,
        decidedBy: caller?.principal?.user ?? null,
        decidedAt: new Date().toISOString(),
      })
      .finally(stored.changed);
    return find(id);
  }

  async function find(id: string): Promise<ChangedDefault> {
    const { changes, madeBy } = await stored.read("");
    const change = changes.find((candidate) => candidate.id === id);
    if (change === undefined) throw unknownChange(id, changes, madeBy);
    return change;
  }

  return {
    /** Which default holds. Where the store cannot be read, it is the stricter one. */
    async inForce(id: string): Promise<"before" | "now"> {
      const change = declared.find((candidate) => candidate.id === id);
      if (change === undefined) return "now";
      try {
        const { changes } = await stored.get("");
        const view = changes.find((candidate) => candidate.id === id);
        return view?.inForce === "before" ? "before" : "now";
      } catch {
        return defaultInForce(change, undefined);
      }
    },
    verbs: {
      list: (): Promise<ChangedDefaults> => stored.read(""),
      accept: (id: string, caller?: Caller) => decide(id, "accept", caller),
      keep: (id: string, caller?: Caller) => decide(id, "keep", caller),
    },
  };
}

function defaultInForce(
  { loosens }: DeclaredDefault,
  decision: DefaultDecision | undefined,
): "before" | "now" {
  if (decision === "accept") return "now";
  if (decision === "keep") return "before";
  return loosens ? "before" : "now";
}

function isOlder(version: string, than: string): boolean {
  const parsed = parseVersion(version);
  const limit = parseVersion(than);
  if (parsed === null || limit === null) return true;
  return compareVersions(parsed, limit) < 0;
}

function cannotBeKept({ id, gone }: ChangedDefault): PlaneError {
  return new PlaneError("USAGE", `The old default of '${id}' cannot be kept. ${gone}`);
}

function unknownChange(id: string, changes: readonly ChangedDefault[], madeBy: string): PlaneError {
  const listed = changes.map((change) => `'${change.id}'`).join(", ");
  const explanation =
    listed === "" ? `Version ${madeBy} made this store, so none changed.` : `There are ${listed}.`;
  return new PlaneError(
    "NOT_FOUND",
    `No default '${id}' has changed for this plane. ${explanation}`,
  );
}
