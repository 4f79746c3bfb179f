import type { JsonObject } from "@toolplane/core/model/json";
import { withoutEmpty } from "../without-empty.ts";

export const packageKinds = ["npm", "pypi", "oci", "nuget", "mcpb"] as const;
export type PackageKind = (typeof packageKinds)[number];

type Launch = {
  what: string;
  version: string;
  runtimeArguments: string[];
  packageArguments: string[];
};

/** The version is part of what is started: what was looked at stays what runs. */
export function launchPackage(
  via: PackageKind,
  { what, version, runtimeArguments, packageArguments }: Launch,
  env: Readonly<Record<string, string>>,
): JsonObject {
  if (via === "npm") {
    const args = [...runtimeArguments, `${what}@${version}`, ...packageArguments];
    if (!runtimeArguments.includes("-y")) args.unshift("-y");
    return { command: "npx", args };
  }
  if (via === "pypi")
    return {
      command: "uvx",
      args: [...runtimeArguments, `${what}@${version}`, ...packageArguments],
    };
  if (via === "nuget")
    return {
      command: "dnx",
      args: [...runtimeArguments, `${what}@${version}`, "--yes", ...packageArguments],
    };
  const image = /[:@][^/]*$/.test(what) ? what : `${what}:${version}`;
  if (runtimeArguments.length === 0)
    return withoutEmpty({ container: { image }, args: packageArguments });
  // Options of the runtime that its author asks for only fit the runtime itself.
  const envOptions = Object.keys(env).flatMap((name) => ["-e", name]);
  return {
    command: "docker",
    args: ["run", "-i", "--rm", ...envOptions, ...runtimeArguments, image, ...packageArguments],
  };
}
