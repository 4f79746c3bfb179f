import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const path = "/callback";

export type SignInListener = {
  redirectUri: string;
  /** From the browser's return. */
  parameters: Promise<URLSearchParams>;
  close(): Promise<void>;
};

/** Waits on this machine for the browser. Only its first return counts. */
export async function listenForSignIn(): Promise<SignInListener> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const isReturn = request.method === "GET" && url.pathname === path && url.searchParams.has("state");
    const { status, text } = isReturn ? answerTo(url.searchParams) : { status: 404, text: "Nothing is here." };
    response.writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    response.end(page(text), () => {
      if (isReturn) resolve(url.searchParams);
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${port}${path}`,
    parameters: promise,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Repeats nothing of the request. */
function answerTo(parameters: URLSearchParams): { status: number; text: string } {
  const text = parameters.has("error")
    ? "The sign-in did not succeed. Go back to the command line to see why."
    : "Go back to the command line. You can close this window.";
  return { status: 200, text };
}

function page(text: string): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Toolplane</title>
<style>body{font:1.1rem system-ui;margin:4rem auto;max-width:32rem;padding:0 1rem}</style>
<h1>Toolplane</h1><p>${text}</p></html>
`;
}
