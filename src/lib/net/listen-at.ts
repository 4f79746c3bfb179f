import type { Server } from "node:net";

/** The machine has no such address, or no such kind of address. */
const missing: ReadonlySet<unknown> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

/** Listens, and returns the address that it is: a machine with IPv6 only has ::1 in the place of 127.0.0.1. */
export async function listenAt(server: Server, port: number, host: string): Promise<string> {
  try {
    await listen(server, port, host);
    return host;
  } catch (thrown) {
    if (host !== "127.0.0.1" || !isAddressMissing(thrown)) throw thrown;
    // Where there is neither, the first failure says more.
    await listen(server, port, "::1").catch((second) =>
      Promise.reject(isAddressMissing(second) ? thrown : second),
    );
    return "::1";
  }
}

export function isAddressMissing(thrown: unknown): boolean {
  return missing.has((thrown as NodeJS.ErrnoException).code);
}

/** As it stands in a URL. */
export function inUrl(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
