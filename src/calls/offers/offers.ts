import type { PageJudge } from "../../catalogue/catalogue.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { Outcome } from "../../model/calls/call.ts";
import type { OfferCallKind } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError, quarantineHints } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { CataloguePackages, ScanPackage } from "../../model/packages.ts";
import type { Plane } from "../../model/plane.ts";
import type {
  OfferOptions,
  PlanePrompts,
  PlaneResources,
  PlaneServers,
} from "../../model/plane-tools.ts";
import type { PlaneSkills } from "../../model/plane-work.ts";
import type { Inside, KnownCaller } from "../../model/principal.ts";
import { isExtensionMethod, isExtensionNotification } from "../../protocol/extensions.ts";
import { explainFailure, ownerOfCaller, type Servers } from "../../servers/servers.ts";
import { nameIn, readOfferAnswer } from "./offer-tools.ts";
import { createPublishedSkills } from "./published-skills.ts";
import { createSkillGuard, type SkillPorts } from "./skills.ts";

type OfferVerbs = {
  prompts: Inside<Pick<PlanePrompts, "get">>;
  resources: Inside<Pick<PlaneResources, "read" | "watch">>;
  servers: Inside<Pick<PlaneServers, "forward">>;
  skills: Inside<Pick<PlaneSkills, "published">>;
};

type Parts = {
  call: Inside<Plane>["call"];
  servers: Pick<Servers, "watch" | "listOwner">;
  pages: Pick<PageJudge, "judgePage">;
  judge: SkillPorts["judge"];
  config(): Pick<Config, "security">;
  packages: Pick<CataloguePackages, "scan">;
} & Omit<Parameters<typeof createPublishedSkills>[0], "forward">;

/** As `maxResultBytes`: what a client asked of a server is passed on in full. */
const unlimited = 0;

/** Prompts, resources and completions: calls of their servers, with the caller's own rights and credentials. */
export function createOfferVerbs({
  call,
  servers,
  config,
  packages,
  pages,
  judge,
  ...publishing
}: Parts): OfferVerbs {
  const skills = createSkillGuard({ judge });
  async function ask(
    server: string,
    kind: OfferCallKind,
    offerName: string,
    args: unknown,
    options: OfferOptions & KnownCaller,
  ) {
    const outcome = await call({ server, tool: offerName, kind }, args, {
      ...options,
      maxResultBytes: unlimited,
    });
    const answer = answerOf(outcome, kind);
    if (!isObject(answer)) return answer;
    const owner = servers.listOwner(server, ownerOfCaller(options.principal));
    const uri = nameIn(offerName);
    const { poisoning } = config().security;
    const isForModel =
      kind === "prompt" || (kind === "resource" && skills.isSkill(server, owner, uri));
    if (isForModel && holdsBack(poisoning))
      await refuseOrders(answer, server, offerName, poisoning, await packages.scan());
    if (offerName === "extensions/skills/list") return skills.list(server, owner, answer);
    if (offerName === "extensions/skills/get") return skills.get(server, owner, answer);
    if (kind === "resource") {
      await skills.check(server, owner, uri, answer);
      await requireSoundPage(server, uri, answer, owner);
    }
    return answer;
  }
  /** A page is pinned by its content, so it is judged once it was read. */
  async function requireSoundPage(
    server: string,
    uri: string,
    answer: UnknownObject,
    owner: { user: string | null } | undefined,
  ) {
    const quarantineReason = await pages.judgePage(server, uri, answer, owner);
    if (quarantineReason === null) return;
    throw new PlaneError(
      "TOOL_QUARANTINED",
      `Page '${uri}' of server '${server}' is quarantined: ${quarantineReason}.`,
      {
        data: { server, personHints: quarantineHints(`page:${server}/${uri}`) },
      },
    );
  }

  function explained(answer: Promise<unknown>, server: string, nameOrUri: string) {
    return answer.catch((thrown) => {
      throw explainFailure(thrown, server, nameOrUri);
    });
  }

  const forward: OfferVerbs["servers"]["forward"] = async (server, method, params, options) => {
    const { kind, offerName, args } = readRequest(method, params);
    return ask(server, kind, offerName, args, options);
  };

  return {
    servers: { forward },
    skills: createPublishedSkills({ forward, ...publishing }),
    prompts: {
      get: (server, name, args = {}, options) =>
        explained(ask(server, "prompt", `prompts/${name}`, args, options), server, name),
    },
    resources: {
      read: (server, uri, options) =>
        explained(ask(server, "resource", `resources/${uri}`, { uri }, options), server, uri),
      async watch(server, uri, options) {
        await ask(server, "subscription", `resources/${uri}`, { uri }, options);
        return servers.watch(server, uri, options.principal);
      },
    },
  };
}

const holdsBack = (poisoning: Config["security"]["poisoning"]) =>
  poisoning !== "off" && poisoning !== "warn";

/** The messages of a prompt go to the model as the person's own words: what would hold a description back holds them back. */
async function refuseOrders(
  answer: object,
  server: string,
  offerName: string,
  mode: Config["security"]["poisoning"],
  { scanInSlices }: ScanPackage,
): Promise<void> {
  const findings = (await scanInSlices(answer)).filter(
    ({ severity }) => mode === "quarantine" || severity === "high",
  );
  const [first] = findings;
  if (first === undefined) return;
  const remedy = "If it is meant so, set 'security.poisoning' to 'warn'";
  const text = `'${offerName}' of server '${server}' was not passed on: ${first.where} gives orders to a model (${first.kind}). ${remedy}.`;
  throw new PlaneError("TOOL_QUARANTINED", text, {
    data: { server, tool: offerName, findings: findings.map(({ kind }) => kind) },
  });
}

function answerOf({ result, error }: Outcome, kind: OfferCallKind): unknown {
  const isServersError =
    isObject(result?.structuredContent) && isObject(result.structuredContent.error);
  if (result && (error === undefined || isServersError)) return readOfferAnswer(kind, result);
  const { code, message, data, server, tool } = error as NonNullable<typeof error>;
  throw new PlaneError(code, message, {
    data: {
      ...data,
      ...withoutUndefined({ server: server || undefined, tool: tool || undefined }),
    },
  });
}

/** `offerName` stands where a call has the name of its tool: `prompts/NAME`, `resources/URI`, `extensions/METHOD`. */
type OfferRequest = { kind: OfferCallKind; offerName: string; args: unknown };

function readRequest(method: string, params: UnknownObject): OfferRequest {
  const { name, uri, arguments: args, ref, ...completion } = params;
  if (method === "prompts/get")
    return { kind: "prompt", offerName: `prompts/${name}`, args: args ?? {} };
  if (method === "resources/read")
    return { kind: "resource", offerName: `resources/${uri}`, args: { uri } };
  if (method === "completion/complete" && isObject(ref)) {
    const offerName = ref.type === "ref/prompt" ? `prompts/${ref.name}` : `resources/${ref.uri}`;
    return { kind: "completion", offerName, args: completion };
  }
  const isExtended = isExtensionMethod(method) || isExtensionNotification(method);
  if (isExtended) return { kind: "extension", offerName: `extensions/${method}`, args: params };
  throw new PlaneError(
    "USAGE",
    `'${method}' is not passed on to servers. Tools are called with 'call'.`,
  );
}
