import { steadyNow } from "../../lib/async/steady-time.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { PublishedSkill, ServerSkill, SkillShelf } from "../../model/catalogue/skill-entry.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { OfferOptions, PlaneServers } from "../../model/plane-tools.ts";
import type { PlaneSkills } from "../../model/plane-work.ts";
import type { Inside, KnownCaller, Principal } from "../../model/principal.ts";

/** How long a list is taken for current; pins and digests are looked at with each use. */
const freshMs = 10_000;
const maxPages = 50;
const maxSkills = 2_000;

type Ports = {
  forward: Inside<Pick<PlaneServers, "forward">>["forward"];
  /** Servers that publish skills, of those that the caller may use. */
  skilled(principal: Principal): readonly string[];
  /** Waits until servers are known. */
  discover(principal: Principal, waitMs: number): Promise<void>;
  /** A server says that its lists have changed. */
  onListChanged(listener: () => void): void;
};

type Asking = OfferOptions & KnownCaller;
type Listing = { listedAt: number; shelf: Promise<SkillShelf> };

/** The skills of all servers that a caller may use, those of folders among them. */
export function createPublishedSkills(ports: Ports): Inside<Pick<PlaneSkills, "published">> {
  let listings = new WeakMap<Principal, Map<string, Listing>>();
  ports.onListChanged(() => {
    listings = new WeakMap();
  });

  async function listSkills(server: string, options: Asking): Promise<SkillShelf> {
    const skills: ServerSkill[] = [];
    const leftOut: SkillShelf["leftOut"] = [];
    let cursor: string | undefined;
    const seenCursors = new Set<string>();
    for (let page = 0; page < maxPages && skills.length < maxSkills; page++) {
      const params = withoutUndefined({ cursor });
      const answer = (await ports.forward(server, "skills/list", params, options)) as UnknownObject;
      for (const skill of answer.skills as PublishedSkill[]) skills.push({ ...skill, server });
      for (const skipped of (answer.leftOut ?? []) as { uri: string; why: string }[])
        leftOut.push({ ...skipped, server });
      if (typeof answer.nextCursor !== "string" || seenCursors.has(answer.nextCursor)) break;
      cursor = answer.nextCursor;
      seenCursors.add(cursor);
    }
    return { skills: skills.slice(0, maxSkills), leftOut };
  }

  function shelfOf(server: string, options: Asking): Promise<SkillShelf> {
    const { principal } = options;
    const callerListings = listings.get(principal) ?? new Map<string, Listing>();
    listings.set(principal, callerListings);
    const previous = callerListings.get(server);
    if (previous && steadyNow() - previous.listedAt < freshMs) return previous.shelf;
    const shelf = listSkills(server, options);
    callerListings.set(server, { listedAt: steadyNow(), shelf });
    shelf.catch(() => callerListings.delete(server));
    return shelf;
  }

  return {
    // A list is shared, so that it does not end with the one who asked first.
    async published({ waitMs, servers, signal: _, ...options }) {
      if (waitMs !== undefined) await ports.discover(options.principal, waitMs);
      const names = ports
        .skilled(options.principal)
        .filter((name) => servers?.includes(name) ?? true);

      // What one server fails to list does not hide the skills of others.
      function failedShelf(server: string) {
        return (thrown: Error) => ({
          skills: [],
          leftOut: [{ server, uri: "", why: thrown.message }],
        });
      }

      const shelves = await Promise.all(
        names.map((name) => shelfOf(name, options).catch(failedShelf(name))),
      );
      return {
        skills: shelves.flatMap(({ skills }) => skills),
        leftOut: shelves.flatMap(({ leftOut }) => leftOut),
      };
    },
  };
}
