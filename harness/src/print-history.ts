/** A conversation of a data folder as a person reads it; the Harness may be running meanwhile. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@turnwire/server';
import { evolve } from './conversation/evolve.ts';
import { type ConversationState, emptyConversation, submissionsOf } from './conversation/state.ts';
import { scanBlocks } from './log/block.ts';
import { conversationFile } from './log/folder.ts';
import type { Message, MessagePart } from './turn/port.ts';

/** @throws StartError when there is no such conversation, or its log cannot be read */
export function readConversation(dataDir: string, iid: string): ConversationState {
  const path = conversationFile(join(dataDir, 'conversations'), iid);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code;
    throw new StartError(`there is no conversation ${iid} in ${dataDir} (${reason}); see TURNWIRE_DATA_DIR`);
  }
  // Read only: a torn tail is left to the process that owns the folder.
  const { blocks, damaged } = scanBlocks(bytes);
  if (damaged) throw new StartError(`${path} is damaged; the Harness answers this conversation 410`);
  return blocks.flatMap(({ records }) => records).reduce(evolve, emptyConversation(iid, '', ''));
}

/** The messages, then what became of each Submission. */
export function renderHistory(state: ConversationState): string {
  const title = `conversation ${state.iid} with ${state.name}${state.freed ? ' (freed)' : ''}`;
  const submissions = submissionsOf(state).map(({ submissionId, turnId, state: stage, settlement }) => {
    const end = settlement ? settlement.outcome : stage;
    const why = settlement?.error ? ` (${settlement.error.code}: ${settlement.error.message})` : '';
    return `  ${submissionId}${turnId === undefined ? '' : ` turn ${turnId}`}: ${end}${why}`;
  });
  return [title, '', ...state.messages.map(renderMessage), 'submissions', ...submissions, ''].join('\n');
}

const renderMessage = ({ role, parts }: Message): string => `${role}\n${parts.map(renderPart).join('')}`;

function renderPart(part: MessagePart): string {
  if (part.type === 'text') return indent(part.text);
  if (part.type === 'tool-call') return indent(`→ ${part.name} ${JSON.stringify(part.input)}`);
  return indent(`← ${part.name}${part.isError ? ' failed' : ''}: ${part.text}`);
}

const indent = (text: string): string => `${text.replace(/^/gm, '  ')}\n`;
