import { compileGlob } from "../../lib/text/glob.ts";
import { looksSecret } from "../../lib/text/redact.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const splitWords = (text: string): readonly string[] => text.split(/\s+/);

/** Inherited without any setting; docs/servers.md has the same table. A glob never takes a name that looks secret. */
export const inheritedVariables = [
  {
    group: "base",
    variables: splitWords("PATH HOME USER LOGNAME SHELL TERM LANG LANGUAGE LC_* TZ TMPDIR"),
    why: "what every program needs",
  },
  {
    group: "Windows base",
    variables:
      splitWords(`ALLUSERSPROFILE APPDATA COMMONPROGRAMFILES COMMONPROGRAMFILES(X86) COMMONPROGRAMW6432 COMPUTERNAME
      COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA NUMBER_OF_PROCESSORS OS PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA
      PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 PUBLIC SYSTEMDRIVE SYSTEMROOT TEMP TMP USERDOMAIN USERNAME
      USERPROFILE WINDIR`),
    why: "the same on Windows, in any case",
  },
  {
    group: "proxy",
    variables:
      splitWords(`HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
      NODE_USE_ENV_PROXY`),
    why: "how to reach the network",
  },
  {
    group: "certificates",
    variables:
      splitWords(`NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE
      CURL_CA_BUNDLE AWS_CA_BUNDLE GIT_SSL_CAINFO DENO_CERT DENO_TLS_CA_STORE`),
    why: "whose certificates to trust",
  },
  {
    group: "packages",
    variables:
      splitWords(`npm_config_* NPM_CONFIG_* COREPACK_* PNPM_HOME BUN_INSTALL UV_* PIP_* PIPX_* VOLTA_HOME NVM_DIR
      FNM_DIR ASDF_DIR ASDF_DATA_DIR PYENV_ROOT`),
    why: "registries, caches and versions for npx, uvx and the like",
  },
  {
    group: "desktop",
    variables: splitWords("DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_* DBUS_SESSION_BUS_ADDRESS"),
    why: "browsers and key rings",
  },
  { group: "agents", variables: splitWords("SSH_AUTH_SOCK"), why: "git over SSH" },
  {
    group: "containers",
    variables:
      splitWords(`DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_CERT_PATH DOCKER_TLS_VERIFY DOCKER_API_VERSION
      CONTAINER_HOST CONTAINER_CONNECTION PODMAN_*`),
    why: "which container engine to use",
  },
];

/** npm's orders to the program it runs; another npm must not take them for its own. */
const onlyForNpmRun = new Set(
  splitWords(`call dry_run global include_workspace_root init_module json local_prefix location loglevel node_gyp
    npm_version package user_agent workspace workspaces`),
);

/** `npm_config_//host/:_authToken` and its kind hold credentials of one registry. */
const isRegistryCredential = (name: string) => /^npm_config_.*(?:\/|_auth|_?otp$)/i.test(name);

function isForbiddenToGlobs(name: string): boolean {
  if (isRegistryCredential(name) || looksSecret(name)) return true;
  return name.startsWith("npm_config_") && onlyForNpmRun.has(name.slice("npm_config_".length));
}

/** true: everything. Else what is wanted beside the table. */
type Inherit = boolean | readonly string[] | undefined;

type ChildEnvironment = {
  parent: Environment;
  env: Readonly<Record<string, string>>;
  inheritEnv?: Inherit;
  platform?: NodeJS.Platform;
};

/** Given variables win over inherited ones. */
export function childEnvironment({
  parent,
  env,
  inheritEnv,
  platform = process.platform,
}: ChildEnvironment) {
  const fold = (name: string) => (platform === "win32" ? name.toUpperCase() : name);
  const ownNames = new Set(Object.keys(env).map(fold));
  const passes = inheritance(inheritEnv, fold);
  const inherited = Object.entries(parent).filter(
    (variable): variable is [string, string] =>
      variable[1] !== undefined && !ownNames.has(fold(variable[0])) && passes(variable[0]),
  );
  return { ...Object.fromEntries(inherited), ...env } as Record<string, string>;
}

export function inheritedSecrets(parent: Environment, inheritEnv: Inherit): string[] {
  if (inheritEnv === undefined || inheritEnv === false) return [];
  const inherited = childEnvironment({ parent, env: {}, inheritEnv });
  return Object.entries(inherited).flatMap(([name, value]) =>
    looksSecret(name) || isRegistryCredential(name) ? value : [],
  );
}

const isGlob = (pattern: string) => /[*?]/.test(pattern);

function inheritance(
  inheritEnv: Inherit,
  fold: (name: string) => string,
): (name: string) => boolean {
  if (inheritEnv === true) return () => true;
  const patterns = inheritedVariables.flatMap(({ variables }) => variables).map(fold);
  const exact = new Set(patterns.filter((name) => !isGlob(name)));
  const globs = patterns.filter(isGlob).map(compileGlob);
  // What an operator lists is meant, secrets too.
  const listed = (inheritEnv === false ? [] : (inheritEnv ?? [])).map((pattern) =>
    compileGlob(fold(pattern)),
  );
  return (name) => {
    const folded = fold(name);
    if (exact.has(folded) || listed.some((matches) => matches(folded))) return true;
    return !isForbiddenToGlobs(name) && globs.some((matches) => matches(folded));
  };
}
