import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { renderPlaneMethods } from "./plane-methods.ts";

const root = join(import.meta.dirname, "..");

type Member = { name: string; signature: string; says: string; parameters: string[]; examples: string[] };
type Namespace = { name: string; says: string; members: Member[] };

/** docs/library: the plane and one page for each of its namespaces, from the doc comments of their types. */
export function renderLibraryDocs(): { path: string; text: string }[] {
  const namespaces = readNamespaces();
  const own = membersOf("Plane").filter(({ signature }) => isMethod(signature));
  const pages = namespaces.map((namespace) => ({
    path: `docs/library/${namespace.name}.md`,
    text: renderNamespace(namespace),
  }));
  return [{ path: "docs/library/README.md", text: renderIndex(namespaces, own) }, ...pages];
}

const start = "<!-- Generated from the types of the plane by npm run docs. -->\n";
const end = "<!-- /generated -->\n";

/** docs/library.md with the table of all methods; what people wrote around it stays. */
export function renderLibraryGuide(page: string): string {
  const [before = "", rest = ""] = page.split(start);
  const own = membersOf("Plane").filter(({ signature }) => isMethod(signature));
  const rows = [
    { says: "The plane itself.", names: own.map(({ name }) => name) },
    ...readNamespaces().map(({ name, says, members }) => ({
      says,
      names: members.map((member) => `${name}.${member.name}`),
    })),
    // In code there are methods only.
  ].map(({ says, names }) => `| ${says.replaceAll("`", "")} | ${names.map((name) => `\`${name}\``).join(", ")} |`);
  const table = ["| about | methods |", "| --- | --- |", ...rows].join("\n");
  return `${before}${start}\n${table}\n\n${end}${rest.split(end)[1] ?? ""}`;
}

/** What `Plane` has beside its own methods, by name. */
export function readNamespaces(): Namespace[] {
  return membersOf("Plane").flatMap(({ name, signature, says }) => {
    const type = /^(?:readonly )?\w+: (Plane\w+)$/.exec(signature)?.[1];
    return type === undefined ? [] : [{ name, says, members: membersOf(type) }];
  });
}

const isMethod = (signature: string) => /^\w+(?:<[^(]*>)?\(/.test(signature);

const sources = [
  ...globSync(["src/model/plane*.ts", "src/model/audit.ts", "src/model/config/setup.ts"], { cwd: root }).map((file) =>
    readFileSync(join(root, file), "utf8"),
  ),
  renderPlaneMethods().text,
].join("\n");

/** What it declares itself, and the methods that follow from an operation. */
function membersOf(type: string): Member[] {
  const interfaceOf = new RegExp(
    `export (?:interface ${type}\\b([^{]*)|type ${type} = )\\{(?:\\}|\\n([\\s\\S]*?)\\n\\})`,
  );
  const [found, parents = "", body = ""] = interfaceOf.exec(sources) ?? [];
  if (found === undefined) throw new Error(`there is no type ${type}`);
  const member = /(?: {2}\/\*\*([\s\S]*?)\*\/\n)? {2}((?:readonly )?\w+\??[:(<][\s\S]*?);\n(?= {2}[\w/]|$)/g;
  const own = [...`${body}\n`.matchAll(member)].map(([, comment = "", signature = ""]) => describe(comment, signature));
  const derived = [...parents.matchAll(/\w+Methods/g)].flatMap(([parent]) => membersOf(parent));
  return [...own, ...derived.filter(({ name }) => !own.some((written) => written.name === name))];
}

function describe(comment: string, signature: string): Member {
  const text = comment.replaceAll(/^ *\* ?/gm, "").trim();
  const [head = "", ...examples] = text.split(/^@example\n/m).map((part) => part.trim());
  const [says = "", ...parameters] = head.split(/^@param /m).map((part) => part.trim());
  return {
    name: /^(?:readonly )?(\w+)/.exec(signature)?.[1] ?? "",
    signature: signature
      .replaceAll(/\s*\/\*\*.*?\*\/\s*/g, " ")
      .replaceAll(/\s+/g, " ")
      .replaceAll("; }", " }")
      .replaceAll(/\( | \)|, \)/g, (edge) => edge.replaceAll(/[ ,]/g, "")),
    says: says.replaceAll(/\s+/g, " "),
    parameters: parameters.map((text) => text.replace(/^(\w+) /, "- `$1`: ")),
    examples,
  };
}

const exported = [
  ...readFileSync(join(root, "src/index.ts"), "utf8").matchAll(/export (?:function (\w+)|\{([^}]*)\})/g),
]
  .flatMap(([, name, names = ""]) => name ?? names.split(","))
  .map((name) => name.trim())
  .filter((name) => name !== "" && !name.startsWith("type "));

/** With an import of what it takes from the library. */
function renderExample(example: string): string {
  const used = exported.filter((name) => new RegExp(`\\b${name}\\(`).test(example)).sort();
  const imports = used.length === 0 ? "" : `import { ${used.join(", ")} } from "toolplane";\n\n`;
  return `\`\`\`ts\n${imports}${example}\n\`\`\`\n`;
}

function renderMember(path: string, { name, signature, says, parameters, examples }: Member): string {
  const parts = [`### \`${path}${name}\``, "", `\`${signature}\``, ""];
  const list = parameters.length === 0 ? [] : [...parameters, ""];
  const text = says === "" ? list : [says, "", ...list];
  return [...parts, ...text, ...examples.flatMap((example) => [renderExample(example)])].join("\n");
}

const generated = "<!-- Generated from the doc comments in src/model by npm run docs. -->\n";

function renderNamespace({ name, says, members }: Namespace): string {
  const methods = members.map((member) => renderMember(`plane.${name}.`, member)).join("\n");
  return `# plane.${name}\n\n${generated}\n${says} The guide is [library.md](../library.md); [all namespaces](README.md).\n\n${methods}`;
}

function renderIndex(namespaces: readonly Namespace[], own: readonly Member[]): string {
  const rows = namespaces.map(
    ({ name, says, members }) =>
      `| [\`plane.${name}\`](${name}.md) | ${says} | ${members.map((member) => `\`${member.name}\``).join(", ")} |`,
  );
  return `# Library reference

${generated}
Every method of a plane, with its types. The guide is [library.md](../library.md). Methods take the caller as \`{ principal }\` in their last
argument; without it the plane's own principal calls.

| namespace | about | methods |
| --- | --- | --- |
${rows.join("\n")}

## Methods of the plane

${own.map((member) => renderMember("plane.", member)).join("\n")}`;
}
