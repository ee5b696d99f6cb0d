export { type AppOptions, createApp } from './app.ts';
export { checkParameters, type ReadJsonOptions, readJson } from './body.ts';
export { type BodyProblem, type DocumentName, requestRules } from './document.ts';
export { EARLY_ANSWER_MS } from './early-answer.ts';
export { onSignals, runMain, StartError } from './lifecycle.ts';
export { ALREADY_SENT, announce, type Listening, type ListenOptions, listen } from './listen.ts';
export { type FolderLock, type HoldOptions, holdFolder } from './lock.ts';
export { createLineLogger, createLogger, type Logger } from './logger.ts';
export { Problem, type ProblemCode, type ProblemMore } from './problem.ts';
export { bearerOf, hmac, sameText, sha256 } from './secrets.ts';
export {
  command,
  days,
  dnsLabel,
  duration,
  host,
  httpUrl,
  integer,
  path,
  port,
  type SettingOptions,
  seconds,
  setting,
  usageLine,
} from './settings.ts';
export { type SpanOptions, spanned, traceContext, traceparentOf } from './tracing.ts';
