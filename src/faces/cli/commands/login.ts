import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { colors, say, show, table } from "../terminal/output.ts";
import { Interrupted } from "../terminal/signals.ts";
import { terminal } from "../terminal/terminal.ts";
import { command, withPlane } from "../with-plane.ts";

type LoginOptions = GlobalOptions & { token?: boolean; browser?: boolean };

export async function login(cli: Cli, server: string, options: LoginOptions): Promise<void> {
  await withPlane(cli, { ...options, standalone: true }, async (plane, interrupted) => {
    await plane.servers.get(server);
    const { auth } = plane.config().servers[server] ?? {};
    const wantsToken = options.token || (auth !== undefined && auth.type !== "oauth" && auth.type !== "none");
    if (wantsToken) await plane.tokens.set(server, { token: await readToken(server) });
    else await signIn(plane, server, options.browser ?? true, interrupted);
  });
  show(options, { server, ok: true }, () => `${colors.green("✔")} ${server} knows who you are now.`);
}

export const logout = command(
  (plane, server: string) => plane.tokens.forget(server),
  (ok, [server]) => (ok ? `What was kept for ${server} is forgotten.` : `Nothing was kept for ${server}.`),
  (ok, [server]) => ({ server, ok }),
);

export const listTokens = command(
  (plane) => plane.tokens.list(),
  (tokens) =>
    table(tokens, "No tokens are kept for you.", {
      SERVER: ({ server }) => server,
      KIND: ({ kind }) => kind,
      EXPIRES: ({ expired, expiresAt }) => (expired ? "expired" : (expiresAt ?? "does not expire")),
      SCOPES: ({ scopes }) => scopes.join(" "),
    }),
  (tokens) => ({ tokens }),
);

async function signIn(plane: Plane, server: string, opens: boolean, interrupted: AbortSignal): Promise<void> {
  const { url, finished, cancel } = await plane.tokens.signIn(server);
  interrupted.addEventListener("abort", cancel, { once: true });
  say(`Sign in at:\n  ${url}`);
  if (opens) openBrowser(url);
  await finished;
}

/** From standard input, or typed unseen; never from an argument, which other users of the machine could read. */
async function readToken(server: string): Promise<string> {
  const token = terminal.stdin.isTTY ? await typeToken(server) : (await text(terminal.stdin)).trim();
  if (token === "") throw new PlaneError("USAGE", "No token was given. Write it to standard input.");
  return token;
}

async function typeToken(server: string): Promise<string> {
  const { isCancel, password } = await import("@clack/prompts");
  const typed = await password({ message: `Token for ${server}`, output: terminal.stderr });
  if (isCancel(typed)) throw new Interrupted("SIGINT");
  return typed.trim();
}

/** Never through a shell: the address may come from outside. Where there is no browser, nothing happens. */
export function openBrowser(url: string): void {
  const program = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer.exe" : "xdg-open";
  const browser = spawn(program, [url], { stdio: "ignore", detached: true });
  browser.on("error", () => undefined);
  browser.unref();
}
