import { createEgress } from "@toolplane/core/lib/net/egress";
import { redact } from "@toolplane/core/lib/text/redact";
import { countOf, sentence } from "@toolplane/core/lib/text/wording";
import type { DoctorCheck } from "@toolplane/core/model/config/doctor-schema";
import { asShown } from "@toolplane/core/model/foreign";
import type { ServerDefinition } from "@toolplane/core/model/servers/server";
import { TransportError } from "@toolplane/core/protocol/message";
import type {
  DescribedApi,
  RequestCredentials,
  ServerPackages,
  TakeTools,
} from "@toolplane/core/servers";
import { checkEnvironment, failed, passed } from "./check-configuration.ts";
import { checkReachable } from "./check-network.ts";
import { checkTools } from "./check-session.ts";

type ApiToExamine = {
  namedBy?: RequestCredentials["namedBy"] | undefined;
  name: string;
  definition: ServerDefinition;
  limitMs: number;
  takeTools: TakeTools;
  packages: Pick<ServerPackages, "openapi">;
};

/** Its document, its address and its tools; no operation is called. */
export async function examineApi(examined: ApiToExamine): Promise<DoctorCheck[]> {
  const { name, definition, limitMs, takeTools, namedBy, packages } = examined;
  const { describeApi } = await packages.openapi();
  const api = await describeApi(definition, AbortSignal.timeout(limitMs)).catch(
    (thrown: unknown) => {
      if (!(thrown instanceof TransportError)) throw thrown;
      return failed("document", redact(sentence(thrown.message)), documentFix(thrown));
    },
  );
  const environmentCheck = checkEnvironment(definition);
  if (api === null) return [environmentCheck];
  if ("ok" in api) return [environmentCheck, api];
  const { base, title, tools } = api;
  const documentCheck = passed(
    "document",
    `It describes ${title} with ${countOf(tools.length, "operation")} at ${asShown(base)}.`,
  );
  const toolsCheck = checkTools(
    name,
    definition,
    { session: null, listed: tools, failure: null },
    takeTools,
  );
  const address = await checkAddress(api, namedBy);
  const reachable =
    address instanceof URL ? await checkReachable(address, limitMs, "baseUrl") : address;
  return [
    environmentCheck,
    documentCheck,
    checkCredentials(definition, api),
    reachable,
    toolsCheck,
  ];
}

const strangers = createEgress({ allow: () => [] });

/** Its URL where the document may name it. */
async function checkAddress(api: DescribedApi, namedBy = strangers.namedBy) {
  try {
    const address = await api.address(namedBy);
    await address.gate.check(address.url);
    return address.url;
  } catch (thrown) {
    return failed(
      "reachable",
      sentence((thrown as Error).message),
      "Set 'baseUrl' to the address of the API.",
    );
  }
}

function documentFix({ status }: TransportError): string {
  if (status === 401 || status === 403)
    return "Add what the document's host wants to 'headers', or save it as a file.";
  return "Correct 'openapi': the file or address of an OpenAPI 3.0, 3.1 or Swagger 2.0 document as JSON or YAML.";
}

function checkCredentials(
  { auth, headers }: ServerDefinition,
  { schemes }: DescribedApi,
): DoctorCheck {
  const names = schemes.join(", ");
  const unknown = Object.keys(auth?.schemes ?? {}).filter((name) => !schemes.includes(name));
  if (unknown.length > 0) {
    const fix = `Name one of its own in 'auth.schemes': ${names || "there is none"}.`;
    return failed("credentials", `The document has no security scheme ${unknown.join(", ")}.`, fix);
  }
  if (names === "") return passed("credentials", "The document asks for none.");
  const isGiven = auth !== undefined || Object.keys(headers).length > 0;
  const advice = isGiven ? "" : " None is configured; if calls are refused, add 'auth'.";
  return passed("credentials", `The document knows ${names}.${advice}`);
}
