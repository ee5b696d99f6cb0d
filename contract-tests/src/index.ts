/** The parts of the kit that tests use in process. */
export type { ChatMessage, ChatRequest } from './model/conversation.ts';
export type {
  Condition,
  Extraction,
  Matcher,
  Reply,
  Rule,
  Script,
  ScriptedCall,
  ScriptedError,
  TextMatcher,
} from './model/script.ts';
export { type Model, type ModelOptions, type RecordedRequest, startModel } from './model/server.ts';
export { parseScript, ScriptError, validateScript } from './model/validate.ts';
