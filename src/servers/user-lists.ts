import { steadyNow } from "../lib/async/steady-time.ts";
import type { ListOwner } from "../model/catalogue/list-owner.ts";
import type { PlaneError } from "../model/errors.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Principal } from "../model/principal.ts";
import type { ServerDefinition } from "../model/servers/server.ts";
import type { Era } from "../protocol/session.ts";
import {
  type CatalogueOptions,
  createServerCatalogue,
  type ServerCatalogue,
} from "./server-catalogue.ts";
import { maxSessions, type ServerSessions } from "./sessions.ts";

/** A list that its user has not looked at within this time is dropped. */
const unusedMs = 30 * 60_000;

type UserList = { catalogue: ServerCatalogue; usedAt: number; requirement: PlaneError | null };

export type UserListsOptions = Pick<
  CatalogueOptions,
  "listingTtlMs" | "limitMs" | "verdict" | "log" | "hide" | "onKnown"
> & {
  definition: ServerDefinition;
  defaultPrincipal: Pick<Principal, "user">;
  /** Does every user have their own session? */
  isPersonal(): boolean;
  onNotification(user: string | null, method: string, params: UnknownObject): void;
  /** With `owner`, for this user alone. */
  onTools(tools: unknown[], era: Era, owner?: ListOwner): void;
  onToolsGone(owner: ListOwner): void;
};

/** One list for all, or one for each user where credentials, sessions or the server's own words make them private. */
export function createUserLists(options: UserListsOptions, sessions: ServerSessions) {
  const { defaultPrincipal, definition, isPersonal, onTools, onToolsGone, onNotification } =
    options;
  const userLists = new Map<string | null, UserList>();
  let wasPrivate = false;
  const main = createServerCatalogue({
    ...options,
    session: async () => (await sessions.main.ensure()).session,
    isOpen: () => sessions.main.live() !== null,
    onTools(tools, era) {
      wasPrivate = isPrivate();
      onTools(tools, era, wasPrivate ? { user: defaultPrincipal.user } : undefined);
    },
    onOffers: (list) =>
      onNotification(
        wasPrivate ? defaultPrincipal.user : null,
        `notifications/${list}/list_changed`,
        {},
      ),
  });
  const isPrivate = () =>
    isPersonal() ||
    definition.session === "principal" ||
    (main.isPrivate() && sessions.sharing() !== "shared");

  function drop(user: string | null): void {
    const userList = userLists.get(user);
    if (!userList) return;
    userLists.delete(user);
    userList.catalogue.stop();
    onToolsGone({ user });
  }

  function create(user: string | null): UserList {
    const unusedSince = steadyNow() - unusedMs;
    for (const [otherUser, { usedAt }] of userLists)
      if (usedAt < unusedSince || userLists.size >= maxSessions) drop(otherUser);
    const owner = { user, conversation: null };
    const catalogue = createServerCatalogue({
      ...options,
      session: async () => {
        const connection = sessions.of(owner) ?? sessions.main;
        return (await connection.ensure()).session;
      },
      isOpen: () => (sessions.find(owner)?.live() ?? null) !== null,
      onTools: (tools, era) => onTools(tools, era, { user }),
      onOffers: (list) => onNotification(user, `notifications/${list}/list_changed`, {}),
      // What is listed for one user is not kept on disk.
      onKnown: () => undefined,
    });
    return { catalogue, usedAt: 0, requirement: null };
  }

  return {
    main,
    /** What this user sees; the main session has the credentials of the default principal. */
    of(user: string | null): ServerCatalogue {
      if (user === null || user === defaultPrincipal.user || !isPrivate()) return main;
      const userList = userLists.get(user) ?? create(user);
      userList.usedAt = steadyNow();
      // A map keeps its order: the last used stands last.
      userLists.delete(user);
      userLists.set(user, userList);
      return userList.catalogue;
    },
    requirement: (user: string | null) => userLists.get(user)?.requirement ?? null,
    requires(user: string | null, requirement: PlaneError | null): void {
      const userList = userLists.get(user);
      if (userList) userList.requirement = requirement;
    },
    /** Is it known to all whose list this is? */
    isTold: () => !main.isKnown() || wasPrivate === isPrivate(),
    /** A server may turn out to want credentials after it has listed. */
    tell(): void {
      if (main.isKnown() && wasPrivate !== isPrivate()) main.tell();
    },
    drop(user?: string | null): void {
      for (const droppedUser of user === undefined ? [...userLists.keys()] : [user])
        drop(droppedUser);
    },
  };
}
