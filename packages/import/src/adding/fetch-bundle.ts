import { createHash } from "node:crypto";
import type { SetupPlace } from "@toolplane/core/config/editing";
import { configured, type Egress } from "@toolplane/core/lib/net/egress";
import { PlaneError } from "@toolplane/core/model/errors";
import { type Address, asAddress, asShown, urlOf } from "@toolplane/core/model/foreign";
import { type McpBundle, maxBundleBytes, readMcpBundle } from "./bundle.ts";
import { fetchFile } from "./fetch-file.ts";
import type { Way } from "./server-json.ts";

export const bundlePlace = ({ dataDirectory, where }: SetupPlace) => ({
  dataDirectory,
  platform: where.platform,
});

/** A bundle that a person names. */
export async function fetchOwnBundle(
  url: URL,
  egress: Egress,
  setup: SetupPlace,
): Promise<McpBundle> {
  const redirects = await egress.namedBy(url.href);
  return readFetched(url, await fetchBundle({ url, gate: configured }, redirects), setup);
}

/** A bundle of a registry is fetched from where a stranger says, and must be what the registry saw. */
export async function fetchNamedBundle(
  { url: bundleUrl, sha256 }: NonNullable<Way["bundle"]>,
  { stranger }: Egress,
  setup: SetupPlace,
): Promise<McpBundle> {
  const url = urlOf(bundleUrl);
  if (url === null)
    throw new PlaneError("USAGE", `The address of the bundle, '${asShown(bundleUrl)}', is none.`);
  const address = asAddress(url, stranger);
  const body = await fetchBundle(address, stranger);
  if (createHash("sha256").update(body).digest("hex") !== sha256)
    throw new PlaneError(
      "USAGE",
      "The bundle is not the one that the registry names: its checksum differs. It was not unpacked.",
    );
  return readFetched(address.url, body, setup);
}

async function fetchBundle(address: Address, redirects: Egress["stranger"]): Promise<Buffer> {
  const { status, body } = await fetchFile(address, {
    redirects,
    maxBytes: maxBundleBytes,
    limitMs: 300_000,
  });
  if (status === 200) return body;
  throw new PlaneError(
    "SERVER_UNAVAILABLE",
    `${address.url.host} answers with HTTP ${status} instead of the bundle.`,
  );
}

function readFetched(url: URL, body: Buffer, setup: SetupPlace): McpBundle {
  return readMcpBundle(body, url.pathname.split("/").at(-1) ?? "bundle", bundlePlace(setup));
}
