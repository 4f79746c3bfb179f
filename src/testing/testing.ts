/** `toolplane/testing`: tests of agents and configurations without a process, a port or a model. */
export {
  inMemory,
  type MemoryHandler,
  type MemoryMessage,
  type MemoryServer,
  type MemoryTransport,
} from "../servers/servers.ts";
export {
  type RecordedRequest,
  type ScriptedModelEndpoint,
  startScriptedModel,
} from "./model-endpoint.ts";
export {
  type Script,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedReply,
  scriptedModel,
} from "./scripted-model.ts";
export { type TestTool, type TestToolServer, toolServer } from "./tool-server.ts";
