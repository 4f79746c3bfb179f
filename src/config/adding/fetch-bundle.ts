import { createHash } from "node:crypto";
import { configured, createEgress } from "../../lib/net/egress.ts";
import { PlaneError } from "../../model/errors.ts";
import type { SetupPlace } from "../setup-place.ts";
import { type Bundle, maxBundleBytes, readBundle } from "./bundle.ts";
import { fetchFile } from "./fetch-file.ts";

export const bundlePlace = ({ dataDirectory, where }: SetupPlace) => ({ dataDirectory, platform: where.platform });

/** A bundle of a registry is fetched from where a stranger says, and must be what the registry saw. */
export async function fetchBundle(url: URL, sha256: string | null, place: SetupPlace): Promise<Bundle> {
  const gate = sha256 === null ? configured : await createEgress({ allow: () => [] }).namedBy(url.href);
  const { status, body } = await fetchFile(url, { gate, maxBytes: maxBundleBytes, limitMs: 300_000 });
  if (status !== 200)
    throw new PlaneError("SERVER_UNAVAILABLE", `${url.host} answers with HTTP ${status} instead of the bundle.`);
  if (sha256 !== null && createHash("sha256").update(body).digest("hex") !== sha256)
    throw new PlaneError(
      "USAGE",
      "The bundle is not the one that the registry names: its checksum differs. It was not unpacked.",
    );
  return readBundle(body, url.pathname.split("/").at(-1) ?? "bundle", bundlePlace(place));
}
