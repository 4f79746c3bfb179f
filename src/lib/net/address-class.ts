import net, { type BlockList, isIP } from "node:net";
import { once } from "../async/once.ts";

/** What an address leads to. `metadata` is a cloud's own service, which hands out credentials to who asks. */
export type AddressClass = "public" | "private" | "loopback" | "reserved" | "metadata";

const networks = once((): readonly (readonly [AddressClass, BlockList])[] => [
  [
    "metadata",
    listOf(
      "169.254.169.254/32",
      "169.254.170.2/32",
      "169.254.170.23/32",
      "100.100.100.200/32",
      "168.63.129.16/32",
      "192.0.0.192/32",
      "fd00:ec2::/32",
      "fd20:ce::254/128",
    ),
  ],
  // Zero is this machine for most systems.
  ["loopback", listOf("127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128")],
  ["private", listOf("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")],
  [
    "reserved",
    listOf(
      "169.254.0.0/16",
      "192.0.0.0/24",
      "192.0.2.0/24",
      "192.88.99.0/24",
      "198.18.0.0/15",
      "198.51.100.0/24",
      "203.0.113.0/24",
      "224.0.0.0/3",
      "2001::/23",
      "2001:db8::/32",
      "3fff::/20",
    ),
  ],
]);
const globalUnicast = once(() => listOf("2000::/3"));

/** Names under which clouds offer their metadata service; a resolver need not show the address. */
const metadataNames = new Set(
  "metadata metadata.google.internal metadata.goog instance-data instance-data.ec2.internal metadata.azure.internal metadata.tencentyun.com".split(
    " ",
  ),
);

export function isMetadataName(host: string): boolean {
  return metadataNames.has(host.toLowerCase().replace(/(?<!\.)\.+$/, ""));
}

/** Of an address in canonical spelling. An IPv4 address inside an IPv6 one counts as itself. */
export function classOf(address: string): AddressClass {
  const plain = address.replace(/%.*/s, "");
  const family = familyOf(plain);
  if (family === null) return "reserved";
  const inner = family === "ipv6" ? innerIPv4(plain) : null;
  if (inner !== null) return classOf(inner);
  const network = networks().find(([, list]) => list.check(plain, family));
  if (network !== undefined) return network[0];
  return family === "ipv4" || globalUnicast().check(plain, family) ? "public" : "reserved";
}

/** As a `BlockList` names it; null for what is no address. */
export function familyOf(address: string): "ipv4" | "ipv6" | null {
  const version = isIP(address);
  if (version === 0) return null;
  return version === 4 ? "ipv4" : "ipv6";
}

/** One spelling for each address, so that two can be compared. */
export function canonicalAddress(address: string): string {
  const plain = address.replace(/%.*/s, "");
  if (isIP(plain) !== 6) return plain;
  return innerIPv4(plain) ?? groupsOf(plain).join(":");
}

/** Mapped, compatible, translated, NAT64, 6to4 and ISATAP addresses lead to an IPv4 address. */
function innerIPv4(address: string): string | null {
  const groups = groupsOf(address);
  const [first = 0, second = 0, third = 0, , fifth = 0, sixth = 0, seventh = 0, eighth = 0] =
    groups;
  const isZero = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  const dotted = (high: number, low: number) =>
    [high >> 8, high & 255, low >> 8, low & 255].join(".");
  if (first === 0x2002) return dotted(second, third);
  const isMapped = isZero(0, 5) && sixth === 0xffff;
  const isCompatible = isZero(0, 6) && (seventh !== 0 || eighth > 1);
  const isTranslated = isZero(0, 4) && fifth === 0xffff && sixth === 0;
  const isNat64 = first === 0x64 && second === 0xff9b && isZero(2, 6);
  const isIsatap = (fifth === 0 || fifth === 0x200) && sixth === 0x5efe;
  const holdsAddress = isMapped || isCompatible || isTranslated || isNat64 || isIsatap;
  if (holdsAddress) return dotted(seventh, eighth);
  return null;
}

function groupsOf(address: string): number[] {
  // The URL parser writes a dotted tail as two groups.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const parseGroups = (text: string) =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const headGroups = parseGroups(head);
  const tailGroups = parseGroups(tail ?? "");
  return [
    ...headGroups,
    ...Array<number>(8 - headGroups.length - tailGroups.length).fill(0),
    ...tailGroups,
  ];
}

export function listOf(...subnets: readonly string[]): BlockList {
  const list = new net.BlockList();
  for (const subnet of subnets) {
    const [address = "", bits] = subnet.split("/");
    list.addSubnet(address, Number(bits), familyOf(address) ?? "ipv4");
  }
  return list;
}
