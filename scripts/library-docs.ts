import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { renderPlaneMethods } from "./plane-methods.ts";

const root = join(import.meta.dirname, "..");

type Member = { name: string; signature: string; says: string; examples: string[] };
type Namespace = { name: string; says: string; members: Member[] };

/** docs/library-reference.md: the methods of the plane and of its namespaces, from the doc comments of their types. */
export function renderLibraryDocs(): string {
  const own = membersOf("Plane").filter(({ signature }) => isMethod(signature));
  const sections = [
    { name: "plane", path: "plane.", says: "The plane itself.", members: own },
    ...readNamespaces().map((namespace) => ({
      ...namespace,
      name: `plane.${namespace.name}`,
      path: `plane.${namespace.name}.`,
    })),
  ];
  return `# Library reference

Generated from the doc comments in \`src/model\` by \`npm run docs\`. The guide is [library.md](library.md). A last argument \`caller?: Caller\`, which most
methods have, is left out here: \`{ principal }\` sets who calls, and without it the plane's own principal does.

${sections
  .map(
    ({ name, path, says, members }) =>
      `## ${name}\n\n${says}\n\n${withFirstExample(members)
        .map((member) => renderMember(path, member))
        .join("\n")}`,
  )
  .join("\n")}`;
}

/** One shows how a namespace is used; editors show the others with each method. */
function withFirstExample(members: readonly Member[]): Member[] {
  const first = members.find(({ examples }) => examples.length > 0);
  return members.map((member) => (member === first ? member : { ...member, examples: [] }));
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
  ...globSync(["src/model/plane*.ts", "src/model/audit.ts", "src/model/config/setup.ts"], {
    cwd: root,
  }).map((file) => readFileSync(join(root, file), "utf8")),
  renderPlaneMethods().text,
].join("\n");

/** What it declares itself, and the methods that follow from an operation. */
function membersOf(type: string): Member[] {
  const interfaceOf = new RegExp(
    `export (?:interface ${type}\\b([^{]*)|type ${type} = )\\{(?:\\}|\\n([\\s\\S]*?)\\n\\})`,
  );
  const [found, parents = "", body = ""] = interfaceOf.exec(sources) ?? [];
  if (found === undefined) throw new Error(`there is no type ${type}`);
  const member =
    /(?: {2}\/\*\*([\s\S]*?)\*\/\n)? {2}((?:readonly )?\w+\??[:(<][\s\S]*?);\n(?= {2}[\w/]|$)/g;
  const own = [...`${body}\n`.matchAll(member)].map(([, comment = "", signature = ""]) =>
    describe(comment, signature),
  );
  const derived = [...parents.matchAll(/\w+Methods/g)].flatMap(([parent]) => membersOf(parent));
  return [...own, ...derived.filter(({ name }) => !own.some((written) => written.name === name))];
}

function describe(comment: string, signature: string): Member {
  const text = comment.replaceAll(/^ *\* ?/gm, "").trim();
  const [head = "", ...examples] = text.split(/^@example\n/m).map((part) => part.trim());
  // What parameters mean is for editors.
  const [says = ""] = head.split(/^@param /m).map((part) => part.trim());
  return {
    name: /^(?:readonly )?(\w+)/.exec(signature)?.[1] ?? "",
    signature: signature
      .replaceAll(/\s*\/\*\*.*?\*\/\s*/g, " ")
      .replaceAll(/\s+/g, " ")
      .replaceAll("; }", " }")
      .replaceAll(/\( | \)|, \)/g, (edge) => edge.replaceAll(/[ ,]/g, "")),
    says: says.replaceAll(/\s+/g, " "),
    examples,
  };
}

const exported = [
  ...readFileSync(join(root, "src/index.ts"), "utf8").matchAll(
    /export (?:function (\w+)|\{([^}]*)\})/g,
  ),
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

function renderMember(path: string, { signature, says, examples }: Member): string {
  const shown = signature.replace(/^readonly /, "").replace(/(?:, )?caller\?: Caller\)/, ")");
  const text = says === "" ? "" : `: ${says}`;
  return [`**\`${path}${shown}\`**${text}`, "", ...examples.map(renderExample)].join("\n");
}
