import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { classOf } from "./address-class.ts";
import { parseAllowed } from "./allow-list.ts";
import { createEgress, type Gate } from "./egress.ts";
import { exchange } from "./exchange.ts";

/** Names and their addresses, so that nothing depends on a resolver. */
const table: Record<string, readonly string[]> = {
  "public.example": ["93.184.215.14", "2606:2800:21f:cb07::1"],
  "mixed.example": ["93.184.215.14", "10.0.0.7"],
  "inside.example": ["10.0.0.7"],
  "neighbour.example": ["10.9.9.9"],
  "six.example": ["fd12::7"],
  "sneaky.example": ["169.254.169.254"],
  localhost: ["127.0.0.1", "::1"],
};
const resolve = async (host: string) =>
  (table[host] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
const open = (allow: readonly string[] = []) => createEgress({ allow: () => allow, resolve });

/** The addresses that are connected to, or the name of what refuses. */
async function reach(gate: Gate, address: string): Promise<string> {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  try {
    const { lookup } = gate.connection(url);
    if (/^[\d.]+$|:/.test(host)) return host;
    return await new Promise((done, fail) => {
      lookup(host, { all: true }, (error, found) =>
        error
          ? fail(error)
          : done((found as { address: string }[]).map((one) => one.address).join()),
      );
    });
  } catch (thrown) {
    return (thrown as Error).name;
  }
}

test("an address is recognised in every notation", () => {
  const cases = {
    loopback: [
      "127.0.0.1",
      "127.9.9.9",
      "0.0.0.0",
      "::1",
      "::",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::127.0.0.1",
    ],
    private: [
      "10.1.2.3",
      "172.31.0.1",
      "192.168.0.1",
      "100.64.0.1",
      "fd00::1",
      "::ffff:a01:203",
      "64:ff9b::10.0.0.1",
    ],
    reserved: [
      "169.254.1.1",
      "224.0.0.1",
      "255.255.255.255",
      "198.18.0.1",
      "fe80::1",
      "fe80::1%eth0",
      "ff02::1",
    ],
    metadata: [
      "169.254.169.254",
      "::ffff:169.254.169.254",
      "64:ff9b::a9fe:a9fe",
      "fd00:ec2::254",
      "100.100.100.200",
    ],
    public: ["1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1"],
  };
  for (const [wanted, addresses] of Object.entries(cases))
    for (const address of addresses) assert.equal(classOf(address), wanted, address);
  for (const address of ["2002:7f00:1::", "::ffff:0:127.0.0.1", "2606:4700::5efe:7f00:1"])
    assert.equal(classOf(address), "loopback", address);
  for (const address of ["2001:0:1::1", "64:ff9b:1::1", "4000::1", "no address"])
    assert.equal(classOf(address), "reserved", address);
});

test("a stranger's name counts with all of its addresses, and those are the ones connected to", async () => {
  const { stranger } = open();
  assert.equal(
    await reach(stranger, "https://public.example/"),
    "93.184.215.14,2606:2800:21f:cb07::1",
  );
  for (const host of ["mixed", "inside", "six", "sneaky"])
    assert.equal(await reach(stranger, `https://${host}.example/`), "EgressRefused", host);
  for (const spelled of [
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "[::ffff:7f00:1]",
    "0",
    "localhost",
    "localhost.",
  ])
    assert.notEqual(await reach(stranger, `https://${spelled}/`), "127.0.0.1", spelled);
  for (const spelled of [
    "2130706433",
    "0x7f000001",
    "0177.1",
    "127.1",
    "[::ffff:127.0.0.1]",
    "0",
    "[64:ff9b::7f00:1]",
  ])
    assert.equal(await reach(stranger, `https://${spelled}/`), "EgressRefused", spelled);
});

test("no spelling of a metadata address is connected to, by strangers or for a configured server", async () => {
  const egress = open(["169.254.0.0/16", "*.internal"]);
  for (const host of [
    "169.254.169.254",
    "169.254.169.254.",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "①⑥⑨.②⑤④.①⑥⑨.②⑤④",
    "１６９。254。169。254",
    "user:pass@169.254.169.254",
    "public.example@169.254.169.254",
    "[::ffff:169.254.169.254]",
    "[::a9fe:a9fe]",
    "[64:ff9b::a9fe:a9fe]",
    "[2002:a9fe:a9fe::]",
    "[fd00:ec2::254]",
    "[2606:4700::5efe:a9fe:a9fe]",
    "metadata.google.internal.",
    "METADATA.google.internal",
    "sneaky.example",
  ])
    for (const gate of [
      egress.stranger,
      egress.configured,
      await egress.namedBy("http://169.254.169.254/mcp"),
    ])
      assert.equal(await reach(gate, `http://${host}/`), "EgressRefused", host);
  for (const zone of ["[fe80::1%25eth0]", "[fe80::1%eth0]"])
    assert.equal(URL.canParse(`http://${zone}/`), false, zone);
});

test("a loopback server names itself and public addresses, and no neighbour", async () => {
  const gate = await open().namedBy("http://127.0.0.1:3000/mcp");
  assert.equal(await reach(gate, "http://127.0.0.1:3000/x"), "127.0.0.1");
  assert.equal(await reach(gate, "https://public.example/"), "93.184.215.14,2606:2800:21f:cb07::1");
  for (const other of [
    "http://127.0.0.1:3001/",
    "http://127.0.0.2:3000/",
    "http://localhost:22/",
    "https://10.0.0.7/",
  ])
    assert.equal(await reach(gate, other), "EgressRefused", other);
  assert.equal(gate.allowsPlain(new URL("http://127.0.0.1:3000/")), true);
  assert.equal(
    (await open().namedBy("https://127.0.0.1:3000/")).allowsPlain(new URL("http://127.0.0.1/")),
    false,
  );
});

test("a private server names its private neighbours, one with mixed addresses only public ones", async () => {
  const inside = await open().namedBy("https://inside.example/mcp");
  assert.equal(await reach(inside, "https://neighbour.example/"), "10.9.9.9");
  assert.equal(await reach(inside, "https://localhost/"), "EgressRefused");
  assert.equal(await reach(inside, "https://sneaky.example/"), "EgressRefused");
  const mixed = await open().namedBy("https://mixed.example/mcp");
  for (const other of ["mixed.example", "inside.example", "neighbour.example"])
    assert.equal(await reach(mixed, `https://${other}/`), "EgressRefused", other);
});

test("the allow list opens hosts, ports, addresses and networks, and never a metadata service", async () => {
  const cases: [entry: string, address: string, isOpen: boolean][] = [
    ["inside.example", "https://inside.example/", true],
    ["*.example", "https://inside.example/", true],
    ["inside.example:8443", "https://inside.example/", false],
    ["localhost:8080", "http://localhost:8080/", true],
    ["10.0.0.0/8", "https://inside.example/", true],
    ["10.0.0.0/8", "https://[::ffff:10.0.0.7]/", true],
    ["fd00::/8", "https://six.example/", true],
    ["[::1]:80", "http://[::1]/", true],
    ["0.0.0.0/0", "http://169.254.169.254/", false],
    ["*", "http://sneaky.example/", false],
    ["metadata.google.internal", "http://metadata.google.internal/", false],
  ];
  for (const [entry, address, isOpen] of cases)
    assert.equal(
      (await reach(open([entry]).stranger, address)) !== "EgressRefused" && isOpen,
      isOpen,
      `${entry} ${address}`,
    );
  for (const wrong of ["", "10.0.0.0/33", "http://x/", "a b", "x:y"])
    assert.equal(parseAllowed(wrong), null, wrong);
});

test("what is configured may be anywhere but at a metadata service", async () => {
  const { configured } = open();
  assert.equal(await reach(configured, "http://inside.example/"), "10.0.0.7");
  assert.equal(await reach(configured, "http://localhost:1/"), "127.0.0.1,::1");
  for (const address of [
    "http://169.254.169.254/",
    "http://[fd00:ec2::254]/",
    "http://sneaky.example/",
  ])
    assert.equal(await reach(configured, address), "EgressRefused", address);
});

test("where a proxy resolves names, what is found here is judged, and what is not found is for the owner to name", async () => {
  const judged = async (gate: Gate, address: string) => {
    try {
      await gate.connection(new URL(address)).proxied();
      return "passes";
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };
  const { configured, stranger, namedBy } = open(["allowed.test", "*.corp.test:8443"]);
  for (const address of [
    "https://public.example/",
    "https://allowed.test/",
    "https://a.corp.test:8443/",
  ])
    for (const gate of [configured, stranger])
      assert.equal(await judged(gate, address), "passes", address);
  for (const gate of [configured, stranger])
    for (const address of [
      "http://sneaky.example/",
      "http://169.254.169.254/",
      "http://metadata.google.internal/",
    ])
      assert.match(await judged(gate, address), /leads to a metadata address/, address);
  for (const address of ["http://inside.example/", "http://mixed.example/", "http://10.0.0.7/"])
    assert.match(await judged(stranger, address), /leads to a private address/, address);
  assert.equal(await judged(configured, "http://inside.example/"), "passes");
  assert.equal(await judged(configured, "http://unknown.test/"), "passes");
  for (const address of ["http://unknown.test/", "https://a.corp.test/"])
    assert.match(
      await judged(stranger, address),
      /leads to an unknown address.*'security.egress.allow'/,
      address,
    );
  const own = await namedBy("https://unknown.test/mcp");
  assert.equal(await judged(own, "https://unknown.test/token"), "passes", "the server itself");
  assert.match(await judged(own, "https://unknown.test:8443/"), /unknown address/);
  assert.match(await judged(own, "https://other.test/"), /unknown address/);
});

test("a request under way ends when the plane of its gate stops, and none begins after that", async () => {
  const asked = Promise.withResolvers<void>();
  const server = createServer(() => asked.resolve());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stopping = new AbortController();
  const { configured: gate } = createEgress({ allow: () => [], stopping: stopping.signal });
  const { signal } = new AbortController();
  const request = () =>
    exchange(new URL(`http://127.0.0.1:${port}`), { gate, method: "GET", signal, maxBytes: 10 });
  const waiting = request();
  await asked.promise;
  stopping.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  await assert.rejects(request(), { name: "AbortError" });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
