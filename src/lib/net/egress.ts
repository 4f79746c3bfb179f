import { isIP, type LookupFunction } from "node:net";
import { pause } from "../async/pause.ts";
import { type AddressClass, canonicalAddress, classOf, isMetadataName } from "./address-class.ts";
import { type Allowed, parseAllowed } from "./allow-list.ts";
import { hostOf, portOf } from "./proxy.ts";

/** Rejects where there is no such host. */
export type ResolveHost = (host: string) => Promise<readonly { address: string; family: number }[]>;

export type EgressOptions = {
  /** Hosts, addresses and networks that strangers may name too; see `parseAllowed`. */
  allow(): readonly string[];
  resolve?: ResolveHost | undefined;
  stopping?: AbortSignal | undefined;
};

/** Which addresses may be connected to, for one party that names them. */
export type Gate = {
  /** Throws `EgressRefused`, or gives the lookup that a connection to this address must use. */
  connection(url: URL): JudgedConnection;
  /** Rejects with `EgressRefused` where the name leads elsewhere now; for addresses that a browser opens. */
  check(url: URL): Promise<void>;
  /** May it be asked without TLS? */
  allowsPlain(url: URL): boolean;
  /** Ends every request through this gate: its plane stops. */
  readonly stopping?: AbortSignal | undefined;
};

/** For what a person's own configuration does not name. */
export type StrictGate = Gate & { readonly isStrict: true };

type JudgedConnection = {
  lookup: LookupFunction;
  /** In place of the lookup, where a proxy resolves the name. Rejects with `EgressRefused`. */
  proxied(): Promise<void>;
};

export type Egress = ReturnType<typeof createEgress>;

/** `unknown` is a name that only a proxy can look up. */
type ReachedClass = AddressClass | "unknown";

/** A machine behind a proxy may have a resolver that never answers. */
const lookupMs = 2_000;

export class EgressRefused extends Error {
  override readonly name = "EgressRefused";
  /** Without it a proxy of errors would retry what stays refused. */
  readonly code = "ERR_EGRESS_REFUSED";

  constructor(host: string, reached: ReachedClass) {
    const remedy =
      reached === "metadata" ? "" : ". Add it to 'security.egress.allow' if that is right";
    super(
      `'${host}' leads to ${reached === "unknown" ? "an" : "a"} ${reached} address, which may not be named here${remedy}`,
    );
  }
}

/** A configured party: its own address and port, once every address of its name is of one class that is not public. */
type Owner = {
  host: string;
  addresses: readonly string[];
  port: string;
  kind: AddressClass;
  isPlain: boolean;
};

const resolveBySystem: ResolveHost = async (host) =>
  (await import("node:dns/promises")).lookup(host, { all: true });

export function createEgress({ allow, resolve = resolveBySystem, stopping }: EgressOptions) {
  const allowed = createAllowed(allow);

  function gate(
    mayReach: (url: URL, address: string, reached: ReachedClass) => boolean,
    isPlain: boolean,
  ): Gate {
    function judge(url: URL, address: string): void {
      const reached = isMetadataName(hostOf(url)) ? "metadata" : classOf(address);
      if (reached === "metadata" || !(mayReach(url, address, reached) || allowed(url, address)))
        throw new EgressRefused(hostOf(url), reached);
    }
    /** Every address of the name counts, and only these are connected to. */
    async function addressesOf(url: URL, host: string) {
      const addresses = [...(await resolve(host))];
      for (const { address } of addresses) judge(url, address);
      const [first] = addresses;
      if (first === undefined)
        throw Object.assign(new Error(`no address of ${host}`), { code: "ENOTFOUND" });
      return { first, addresses };
    }
    /** What only the proxy can look up is for the owner of the configuration to name. */
    async function judgeForProxy(url: URL): Promise<void> {
      const host = hostOf(url);
      if (isIP(host) !== 0) return;
      const lookupOver = new AbortController();
      const limit = pause(lookupMs, { signal: lookupOver.signal, isBackground: true }).then(
        () => [],
      );
      const addresses = await Promise.race([resolve(host).catch(() => []), limit]);
      lookupOver.abort();
      for (const { address } of addresses) judge(url, address);
      if (addresses.length === 0 && !mayReach(url, "", "unknown") && !allowed(url, ""))
        throw new EgressRefused(host, "unknown");
    }
    function connection(url: URL): JudgedConnection {
      // Node looks up no literal address.
      if (isIP(hostOf(url)) !== 0 || isMetadataName(hostOf(url))) judge(url, hostOf(url));
      return {
        lookup: (host, { all }, callback) =>
          void addressesOf(url, host).then(
            ({ first, addresses }) => {
              if (all) callback(null, addresses);
              else callback(null, first.address, first.family);
            },
            (thrown: NodeJS.ErrnoException) => callback(thrown, "", 0),
          ),
        proxied: () => judgeForProxy(url),
      };
    }
    return {
      stopping,
      connection,
      async check(url) {
        connection(url);
        if (isIP(hostOf(url)) !== 0) return;
        await addressesOf(url, hostOf(url)).catch((thrown) => {
          if (thrown instanceof EgressRefused) throw thrown;
        });
      },
      allowsPlain: (url) => (isPlain && isLoopbackHost(url)) || allowed(url, hostOf(url)),
    };
  }

  async function ownerOf(address: string): Promise<Owner> {
    const url = new URL(address);
    const host = hostOf(url);
    const hostAddresses =
      isIP(host) === 0 ? await resolve(host).catch(() => []) : [{ address: host }];
    const [kind = "public", ...otherKinds] = new Set(
      hostAddresses.map((resolved) => classOf(resolved.address)),
    );
    const isUniform = otherKinds.length === 0 && kind !== "public";
    return {
      host,
      addresses: isUniform
        ? hostAddresses.map((resolved) => canonicalAddress(resolved.address))
        : [],
      port: portOf(url),
      kind: isUniform ? kind : "public",
      isPlain: url.protocol === "http:" || url.protocol === "ws:",
    };
  }

  return {
    /** For what a person's own configuration names: anything but a cloud's metadata service. */
    configured: gate(() => true, true),
    /** For what anyone else names: public addresses. */
    stranger: asStrict(gate((_, __, reached) => reached === "public", false)),
    /** For what configured servers name: themselves, public addresses, and their neighbours on `localhost` or a private network. */
    async namedBy(...owners: readonly string[]): Promise<StrictGate> {
      const knownOwners = await Promise.all(
        owners.filter((owner) => URL.canParse(owner)).map(ownerOf),
      );
      const isOwn = (url: URL, address: string, reached: ReachedClass) =>
        knownOwners.some(
          ({ host, addresses, port, kind }) =>
            (port === portOf(url) &&
              (addresses.includes(canonicalAddress(address)) ||
                (reached === "unknown" && host === hostOf(url)))) ||
            // An authorization server beside the MCP server on a developer's machine; literal addresses are not trusted so far.
            (kind === "loopback" &&
              reached === "loopback" &&
              host === "localhost" &&
              hostOf(url) === host) ||
            (kind === "private" && reached === "private"),
        );
      const mayReach = (url: URL, address: string, reached: ReachedClass) =>
        reached === "public" || isOwn(url, address, reached);
      return asStrict(
        gate(
          mayReach,
          knownOwners.some(({ isPlain }) => isPlain),
        ),
      );
    },
  };
}

function asStrict(gate: Gate): StrictGate {
  return { ...gate, isStrict: true };
}

export function isLoopbackHost(url: URL): boolean {
  return /^(localhost|::1|127\.\d+\.\d+\.\d+)$/.test(hostOf(url));
}

/** Read again only when the configuration has another list. */
function createAllowed(allow: () => readonly string[]): (url: URL, address: string) => boolean {
  let readList: readonly string[] = [];
  let entries: readonly Allowed[] = [];
  return (url, address) => {
    const list = allow();
    if (list !== readList) {
      readList = list;
      entries = list.map(parseAllowed).filter((entry) => entry !== null);
    }
    const host = hostOf(url).replace(/\.$/, "").toLowerCase();
    return entries.some(
      ({ matches, port }) => (port === null || port === portOf(url)) && matches(host, address),
    );
  };
}

/** For the transports, which connect only to what is configured. */
export const { configured } = createEgress({ allow: () => [] });
