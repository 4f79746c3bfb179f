import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inUrl, listenAt } from "../../lib/net/listen-at.ts";

const path = "/callback";

/** Waits on this machine for the browser. Only its first return counts, with the state that this process began. */
export async function listenForSignIn() {
  let expected: string | undefined;
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const isReturn =
      expected !== undefined &&
      request.method === "GET" &&
      url.pathname === path &&
      url.searchParams.get("state") === expected;
    response.writeHead(isReturn ? 200 : 404, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    const text = isReturn ? answerTo(url.searchParams) : "Nothing is here.";
    response.end(page(text), () => {
      if (isReturn) resolve(url.searchParams);
    });
  });
  const host = await listenAt(server, 0, "127.0.0.1");
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://${inUrl(host)}:${port}${path}`,
    parameters: promise,
    expect(state: string): void {
      expected = state;
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Repeats nothing of the request. */
function answerTo(parameters: URLSearchParams): string {
  if (parameters.has("error"))
    return "The sign-in did not succeed. Go back to the command line to see why.";
  return "Go back to the command line. You can close this window.";
}

function page(text: string): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Toolplane</title>
<style>body{font:1.1rem system-ui;margin:4rem auto;max-width:32rem;padding:0 1rem}</style>
<h1>Toolplane</h1><p>${text}</p></html>
`;
}
