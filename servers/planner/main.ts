import { servePlanner } from "./server.ts";

servePlanner();
