import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Cli,
  print,
  printJson,
  printStatus,
  type TextOptions,
  withPlane,
} from "@toolplane/core/faces/cli/views";

import { fileErrorText } from "@toolplane/core/lib/files";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { GeneratedFile } from "@toolplane/core/model/agent/code-schema";
import { PlaneError } from "@toolplane/core/model/errors";
import type { CodegenKind } from "@toolplane/core/model/plane-work";

type Options = TextOptions<"server" | "toolset" | "out">;

export async function generateCode(cli: Cli, kind: string, options: Options): Promise<void> {
  const { server, toolset, out } = options;
  const { files } = await withPlane(cli, options, (plane) =>
    // The plane says which kinds there are.
    plane.codegen.generate(kind as CodegenKind, withoutUndefined({ server, toolset })),
  );
  const written = out === undefined ? files : await writeFiles(files, out);
  if (options.json) return printJson({ files: written });
  for (const { path, text } of written) {
    if (out === undefined) print(text.trimEnd());
    else printStatus(`wrote ${path}`);
  }
}

async function writeFiles(
  files: readonly GeneratedFile[],
  directory: string,
): Promise<GeneratedFile[]> {
  try {
    await mkdir(directory, { recursive: true });
    return await Promise.all(
      files.map(async ({ path: name, text, isExecutable }) => {
        const path = join(directory, name);
        await writeFile(path, text);
        if (isExecutable) await chmod(path, 0o755);
        return { path, text };
      }),
    );
  } catch (thrown) {
    throw new PlaneError(
      "USAGE",
      `The files cannot be written to '${directory}': ${fileErrorText(thrown)}.`,
    );
  }
}
