import type { Egress } from "../../lib/net/egress.ts";
import type { JsonObject } from "../json.ts";
import type { Principal } from "../principal.ts";
import type { AuthorizationServer, SignInProvider } from "./auth-settings.ts";
import type { Invited, PersonAsked } from "./person.ts";
import type { GrantView, PersonView } from "./sign-in-schema.ts";

/** A record of the authorization server. Times are in milliseconds. */
export type KeptSignIn<T = JsonObject> = {
  id: string;
  value: T;
  grant: string | null;
  account: string | null;
  madeAt: number;
  usedAt: number | null;
  consumedAt: number | null;
};

export type SignInPlaces = { grant?: string | null; uid?: string | null; account?: string | null };

/** Records of the authorization server in the store, sealed. What is over is not found. */
export type SignInRows = {
  put(
    kind: string,
    id: string,
    value: object,
    about?: SignInPlaces & { seconds?: number; tells?: boolean },
  ): Promise<void>;
  /**
   * Reads and writes as one: `edit` gets what is there and is repeated where another plane was quicker. Null from it leaves
   * all as it is, and is the answer.
   */
  change<T extends object>(
    kind: string,
    id: string,
    edit: (before: T | null) => T | null,
    about?: (value: T) => SignInPlaces,
  ): Promise<T | null>;
  get<T = JsonObject>(kind: string, id: string): Promise<KeptSignIn<T> | null>;
  list<T = JsonObject>(kind: string, about?: SignInPlaces): Promise<KeptSignIn<T>[]>;
  /** True for the first. */
  consume(kind: string, id: string): Promise<boolean>;
  touch(kind: string, id: string): Promise<void>;
  remove(kind: string, id: string): Promise<boolean>;
  removeGrant(grant: string): Promise<void>;
  /** One more, or so many, within a time that begins with the first; how many there are, and how much of it is left. */
  count(key: string, seconds: number, by?: number): Promise<{ count: number; leftSeconds: number }>;
};

/** What a person brings into tokens. `scopes` is the most that a client gets. */
export type PersonRights = Pick<
  Principal,
  "groups" | "persona" | "workspace" | "compliance" | "scopes" | "toolGroups"
> & { user: string };

/** A provider that people sign in at, with the checks of OpenID Connect. */
export type SignInUpstream = {
  name: string;
  begin(redirectUri: string): Promise<{ url: string; kept: JsonObject }>;
  finish(answer: URLSearchParams, kept: JsonObject, redirectUri: string): Promise<PersonRights>;
};

/** What an ID-JAG says (enterprise-managed authorization). */
export type Assertion = {
  person: PersonRights;
  /** What it says nothing of. */
  unsaid: (keyof PersonRights)[];
  id: string;
  clientId: string;
  resource: string | null;
  scopes: string[];
  /** In seconds. */
  lifetime: number;
};

/** What happened, for the record of changes. */
export type SignInLine = {
  operation: string;
  target?: string | undefined;
  user?: string | null;
  address?: string | undefined;
  input?: object;
  /** The error of the RFC; without it all went well. */
  error?: string;
};

export type SignInPorts = {
  /** The issuer: the plane's public address. */
  origin: string;
  settings: AuthorizationServer;
  provider: SignInProvider | undefined;
  /** What clients get that ask for nothing. */
  defaultScopes: readonly string[];
  rows: SignInRows;
  /** Sealed values with names. */
  vault: {
    read<T>(name: string): Promise<T | null>;
    write(name: string, value: unknown): Promise<void>;
  };
  egress: Egress;
  upstream: SignInUpstream | null;
  /** Names that scopes may limit a token to. */
  limits(): { servers: string[]; toolsets: string[] };
  /** Those that a person may use. */
  serversFor(person: PersonRights): string[];
  /** What the policy asks about, in words, for the page of consent. */
  policy(): Promise<string>;
  record(line: SignInLine): Promise<void>;
  /** Whom the assertion of a trusted provider stands for; rejects where it does not count. */
  readAssertion(assertion: string): Promise<Assertion>;
  /** A grant whose tokens do not count any more. */
  revoked(grant: string): Promise<void>;
};

export type SignInServer = {
  /** Answers what is under its paths; Node's request and response. */
  handle(request: object, response: object): void;
  keys(): Promise<{ keys: JsonObject[] }>;
  /** Who is signed in in the page of this request; null where no one is, or the page does not prove it. */
  person(request: object): Promise<PersonRights | null>;
  /** Signs that browser out. */
  end(request: object): Promise<void>;
};

/** Rights and grants, also where nothing is served. */
export type SignInDesk = {
  people(): Promise<PersonView[]>;
  invite(asked: PersonAsked, origin: string): Promise<Invited>;
  removePerson(user: string): Promise<boolean>;
  /** Of one person, or all. */
  grants(user: string | null): Promise<GrantView[]>;
  revokeGrant(id: string): Promise<boolean>;
};

/** What `packages/sign-in` gives. */
export type SignInPackage = {
  openSignIn(ports: SignInPorts): Promise<SignInServer>;
  openDesk(
    ports: Pick<SignInPorts, "rows" | "revoked"> & {
      /** Those of the configuration, as they are now. */
      listedClients(): Promise<AuthorizationServer["clients"]>;
    },
  ): SignInDesk;
};

/** The paths of the authorization server and of its pages. */
export const signInPaths = {
  pages: "/sign-in",
  oauth: "/oauth",
  metadata: ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"],
  /** Where people come back from a server behind the plane; not ours. */
  callback: "/oauth/callback",
} as const;

export function isSignInPath(path: string): boolean {
  if (path === signInPaths.callback) return false;
  const isBelow = (top: string) => path === top || path.startsWith(`${top}/`);
  return (
    isBelow(signInPaths.pages) || isBelow(signInPaths.oauth) || signInPaths.metadata.some(isBelow)
  );
}
