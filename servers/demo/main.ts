import { serveDemo } from "./server.ts";

serveDemo();
