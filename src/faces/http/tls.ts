import { readFile } from "node:fs/promises";
import type { Server } from "node:https";
import { createSecureContext } from "node:tls";
import { PlaneError } from "../../model/errors.ts";

export type TlsFiles = { cert: string; key: string };

/** How often it is looked whether a certificate was renewed. */
const lookMs = 10_000;

export type Certificate = { cert: string; key: string };

/** Rejects where the files cannot be read or do not belong together. */
export async function readCertificate(files: TlsFiles): Promise<Certificate> {
  try {
    const [cert, key] = await Promise.all([
      readFile(files.cert, "utf8"),
      readFile(files.key, "utf8"),
    ]);
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (thrown) {
    const { message } = thrown as Error;
    throw new PlaneError(
      "USAGE",
      `The certificate '${files.cert}' cannot be used with '${files.key}': ${message}.`,
    );
  }
}

/** New connections get the renewed certificate; the old one stays while the files are not a pair. */
export function followCertificate(
  server: Server,
  files: TlsFiles,
  first: Certificate,
  { warn, everyMs = lookMs }: { warn(text: string): void; everyMs?: number },
): () => void {
  let current = first;
  let complaint = "";
  const reload = async () => {
    try {
      const renewed = await readCertificate(files);
      complaint = "";
      if (renewed.cert === current.cert && renewed.key === current.key) return;
      server.setSecureContext(renewed);
      current = renewed;
    } catch (thrown) {
      const { message } = thrown as Error;
      if (message !== complaint) warn(message);
      complaint = message;
    }
  };
  const timer = setInterval(() => void reload(), everyMs).unref();
  return () => clearInterval(timer);
}
