import { pageMimeType } from "../model/catalogue/tool-page.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import { tasksExtension } from "./tasks/task.ts";

export const uiExtension = "io.modelcontextprotocol/ui";
export const skillsExtension = "io.modelcontextprotocol/skills";

type TableEntry = {
  /** Settled between each two sides: neither hears what the other declares. */
  isOurs?: true;
  /** A server need not declare it: it uses it where the client does. */
  isImplied?: true;
  /** What the plane tells servers on its own account, where it relays to clients. */
  tells?: UnknownObject;
  /** What the plane tells clients that declare it, whatever its servers are. */
  offers?: UnknownObject;
  /** Declared by servers alone: the plane offers to every client what its servers have, as one. */
  merge?(declared: readonly UnknownObject[]): UnknownObject;
};

/** What the plane adds to the rule, which is: what both sides declare passes, and the rest is left out. */
export const extensionTable: Readonly<Record<string, TableEntry>> = {
  [uiExtension]: { isImplied: true, tells: { mimeTypes: [pageMimeType] }, offers: {} },
  [skillsExtension]: {
    merge: (declared) =>
      declared.some(({ directoryRead }) => directoryRead === true) ? { directoryRead: true } : {},
  },
  [tasksExtension]: { isOurs: true },
  "io.modelcontextprotocol/oauth-client-credentials": { isOurs: true },
  "io.modelcontextprotocol/enterprise-managed-authorization": { isOurs: true },
};

/** More than this is no declaration, but a way to fill memory. */
export const maxExtensions = { names: 64, nameLength: 200, settings: 4_000 } as const;

const namePattern = /^[A-Za-z0-9._-]+\/[A-Za-z0-9._-]+$/;
const nothing: UnknownObject = Object.freeze({});

const declaredExtensions = new WeakMap<object, UnknownObject>();

/** What one side declares, without names and settings that none should have. */
export function extensionsIn(capabilities: UnknownObject | undefined): UnknownObject {
  const declared = capabilities?.extensions;
  if (!isObject(declared)) return nothing;
  const extensions = declaredExtensions.get(declared) ?? readExtensions(declared);
  declaredExtensions.set(declared, extensions);
  return extensions;
}

function readExtensions(declared: UnknownObject): UnknownObject {
  const accepted: [string, unknown][] = [];
  for (const name in declared) {
    if (accepted.length >= maxExtensions.names) break;
    if (
      !Object.hasOwn(declared, name) ||
      name.length > maxExtensions.nameLength ||
      !namePattern.test(name)
    )
      continue;
    const settings = declared[name];
    if (isObject(settings) && JSON.stringify(settings).length <= maxExtensions.settings)
      accepted.push([name, settings]);
  }
  return accepted.length === 0 ? nothing : Object.fromEntries(accepted);
}

function entryOf(name: string): TableEntry {
  if (!Object.hasOwn(extensionTable, name)) return {};
  return extensionTable[name] ?? {};
}

/** Is it passed on at all? */
export const isRelayed = (name: string): boolean => entryOf(name).isOurs !== true;

/** What the client declares and its server may know, with the client's settings. */
export function relayedTo(server: UnknownObject, client: UnknownObject): UnknownObject {
  const names = Object.keys(client).filter(
    (name) => isRelayed(name) && (Object.hasOwn(server, name) || entryOf(name).isImplied),
  );
  return Object.fromEntries(names.map((name) => [name, client[name]]));
}

/** Those that both declare. Their methods, notifications and kinds of results pass. */
export function sharedExtensions(server: UnknownObject, client: UnknownObject): string[] {
  return Object.keys(client).filter((name) => isRelayed(name) && Object.hasOwn(server, name));
}

/** What the plane says of itself to servers, where it relays to clients. */
export const toldToServers: UnknownObject = Object.fromEntries(
  Object.entries(extensionTable).flatMap(([name, { tells }]) => (tells ? [[name, tells]] : [])),
);

/** What a client hears: what it declares itself, where one of its servers does, or the plane. */
export function offeredTo(client: UnknownObject, servers: readonly UnknownObject[]): UnknownObject {
  const merged = Object.entries(extensionTable).flatMap(
    ([name, { merge }]): [string, unknown][] => {
      if (merge === undefined) return [];
      const declared = servers.map((server) => server[name]).filter(isObject);
      return declared.length > 0 ? [[name, merge(declared)]] : [];
    },
  );
  const ownDeclarations = Object.keys(client).flatMap((name): [string, unknown][] => {
    if (entryOf(name).merge) return [];
    const declared =
      servers.find((server) => Object.hasOwn(server, name))?.[name] ?? entryOf(name).offers;
    return isRelayed(name) && declared !== undefined ? [[name, declared]] : [];
  });
  return Object.fromEntries([...ownDeclarations, ...merged]);
}

/** First words of the protocol's own methods: what they do is checked elsewhere, and no extension reaches it. */
const ownMethods: ReadonlySet<string> = new Set([
  "completion",
  "elicitation",
  "initialize",
  "logging",
  "notifications",
  "ping",
  "prompts",
  "roots",
  "sampling",
  "server",
  "subscriptions",
  "tasks",
  "tools",
]);
const ownResourceMethods: ReadonlySet<string> = new Set([
  "list",
  "read",
  "subscribe",
  "templates",
  "unsubscribe",
]);
const maxMethodLength = 200;

/** May an extension have added this method? */
export function isExtensionMethod(method: string): boolean {
  if (method.length > maxMethodLength || !/^[\w.-]+(?:\/[\w.-]+)+$/.test(method)) return false;
  const [first = "", second = ""] = method.toLowerCase().split("/");
  if (first === "resources") return !ownResourceMethods.has(second);
  return !ownMethods.has(first);
}

const ownNotifications =
  /^notifications\/(?:cancelled|elicitation|initialized|message|progress|prompts|resources|roots|subscriptions|tasks|tools)(?:\/|$)/i;

/** May an extension have added this notification? */
export function isExtensionNotification(method: string): boolean {
  return (
    method.length <= maxMethodLength &&
    /^notifications(?:\/[\w.-]+)+$/.test(method) &&
    !ownNotifications.test(method)
  );
}

/** Does the method or notification bear the name of the extension, or the last part of it? */
function isNamedAfter(extension: string, method: string): boolean {
  const name = method.replace(/^notifications\//, "");
  const shortName = extension.slice(extension.indexOf("/") + 1);
  return name.startsWith(`${extension}/`) || name.startsWith(`${shortName}/`);
}

/** Do both sides declare the extension that it is named after, or one at all where its name tells nothing? */
export function mayPass(method: string, server: UnknownObject, client: UnknownObject): boolean {
  const shared = sharedExtensions(server, client);
  const declared = [...Object.keys(server), ...Object.keys(client)];
  const namesakes = declared.filter((name) => isNamedAfter(name, method));
  if (namesakes.length === 0) return shared.length > 0;
  return namesakes.some((name) => shared.includes(name));
}

const metaPrefix = "io.modelcontextprotocol/";

/** The extension of the protocol's authors whose key in `_meta` this is. */
export function isMetaOf(extension: string, key: string): boolean {
  return key === extension || key.startsWith(`${extension}/`);
}

/** Without keys of extensions that this server does not share with the client. */
export function metaFor(
  params: UnknownObject,
  server: UnknownObject,
  client: UnknownObject,
): UnknownObject {
  const meta = params._meta;
  if (!isObject(meta)) return params;
  const protocolKeys = Object.keys(meta).filter((key) => key.startsWith(metaPrefix));
  if (protocolKeys.length === 0) return params;
  const passing = Object.keys(relayedTo(server, client));
  const foreignKeys = protocolKeys.filter((key) => !passing.some((name) => isMetaOf(name, key)));
  if (foreignKeys.length === 0) return params;
  return {
    ...params,
    _meta: Object.fromEntries(Object.entries(meta).filter(([key]) => !foreignKeys.includes(key))),
  };
}
