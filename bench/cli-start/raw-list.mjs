// A listing with nothing but a file: read, print. The floor.
import { readFileSync } from "node:fs";

const { tools } = JSON.parse(readFileSync(process.argv[2], "utf8"));
process.stdout.write(
  `${tools.map(({ name, description }) => `${name}  ${description}`).join("\n")}\n`,
);
