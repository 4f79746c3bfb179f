import { sentence } from "../../lib/sentence.ts";
import type { ServerDefinition } from "../../model/server.ts";
import type { DoctorCheck } from "../../model/setup.ts";
import { failed, passed } from "./check.ts";
import type { Failure } from "./failure.ts";
import { processFix, remoteFix } from "./handshake-fix.ts";
import type { Opened } from "./open-server.ts";

export function checkHandshake(definition: ServerDefinition, { session, failure }: Opened): DoctorCheck {
  if (session || !failure) {
    return passed(
      "handshake",
      `It is ${session?.server ?? "a server without a name"} and speaks protocol ${session?.protocolVersion}.`,
    );
  }
  const fix =
    definition.transport === "stdio" ? processFix(definition, failure) : remoteFix(definition, failure);
  return failed("handshake", { detail: describe(failure), fix });
}

export function describe({ reason, said }: Failure): string {
  const told = sentence(reason.charAt(0).toUpperCase() + reason.slice(1));
  return said === "" ? told : `${told} It last wrote:\n${said}`;
}
