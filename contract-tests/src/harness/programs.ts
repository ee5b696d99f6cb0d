/** Checks whose sequence data cannot say; a case names one in a step. */

import type { Conversation } from './conversation.ts';
import { abortRaces } from './programs/abort-races.ts';
import { admissionAndSignal } from './programs/admission-and-signal.ts';
import { cursors } from './programs/cursor.ts';
import { earlyAnswer } from './programs/early-answer.ts';
import { noToken, otherVersion } from './programs/every-operation.ts';
import {
  nodeDrains,
  nodeHeartbeats,
  nodeIsFresh,
  nodeIsReady,
  nodeRegisters,
  nodeRegistersAgain,
} from './programs/nodes.ts';
import { offsets } from './programs/offsets.ts';
import { picksDoNotOverlap } from './programs/picks-apart.ts';
import { idleConnection, listeningLine, successor, takenPort, wrongSettings } from './programs/process.ts';
import { everyRecordOnce } from './programs/resume.ts';
import { secretsKept } from './programs/secrets.ts';
import { everyEvent } from './programs/sse.ts';

export type Program = (in_: Conversation) => Promise<void>;

export const programs: Readonly<Record<string, Program>> = {
  abort_races: abortRaces,
  admission_and_signal: admissionAndSignal,
  cursors,
  early_answer: earlyAnswer,
  every_event: everyEvent,
  picks_do_not_overlap: picksDoNotOverlap,
  every_record_once: everyRecordOnce,
  secrets_kept: secretsKept,
  other_version: otherVersion,
  no_token: noToken,
  offsets,
  listening_line: listeningLine,
  taken_port: takenPort,
  wrong_settings: wrongSettings,
  successor,
  idle_connection: idleConnection,
  node_registers: nodeRegisters,
  node_heartbeats: nodeHeartbeats,
  node_registers_again: nodeRegistersAgain,
  node_is_fresh: nodeIsFresh,
  node_is_ready: nodeIsReady,
  node_drains: nodeDrains,
};
