import { readFileSync } from 'node:fs';
import { protocol } from '@turnwire/sdk';
import { MAX_TARGET_LENGTH } from '../limits.ts';
import { scriptFile } from '../script-file.ts';
import type { BootstrapSettings } from './bootstrap.ts';
import { FLAGS_HEADER, WRITTEN_HEADER } from './facts.ts';

/** Where the script notes its decision for the log. */
export const METADATA = 'turnwire';

const REFUSALS = ['bad_request', 'no_route', 'stand_in_missing', 'too_large', 'internal_error'] as const;

/** The script that decides: what it has to know as a table, and then the file itself. */
export function decidingScript({ placement, tokenFile }: BootstrapSettings): string {
  const { custodian, headers, constants, problemCodes, version } = protocol;
  const flags = new Set<string>([
    ...Object.values(custodian.flags),
    ...custodian.provingFlags,
    custodian.malformedFlag,
  ]);
  const config = {
    placement,
    token_file: tokenFile,
    stand_in: custodian.standIn,
    forwarded_headers: Object.fromEntries(custodian.forwardedHeaders.map((name) => [name, true])),
    body_limit_bytes: constants.bodyLimitBytes,
    max_target_length: MAX_TARGET_LENGTH,
    version,
    version_header: headers.version,
    code_header: headers.code,
    mark_header: headers.custodian,
    flags_header: FLAGS_HEADER,
    problems: Object.fromEntries(REFUSALS.map((code) => [code, problemCodes[code]])),
    flags: Object.fromEntries([...flags].map((flag) => [flag, custodian.provingFlags.some((proof) => proof === flag)])),
    exhausted_flag: custodian.exhaustedFlag,
    unexplained_flag: custodian.flags[protocol.unexplained],
  };
  return withConfig('custodian', config);
}

/** The script that runs for each attempt but the first. */
export const attemptScript = (): string =>
  withConfig('again', { retry_window_ms: protocol.custodian.retryWindowMs, written_header: WRITTEN_HEADER });

function withConfig(name: 'custodian' | 'again', config: object): string {
  return `local config = ${lua(config)}\n\n${readFileSync(scriptFile(name), 'utf8')}`;
}

/** A value as Lua spells it. */
export function lua(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/[\\'\n\r\0]/g, (char) => `\\${char.charCodeAt(0)}`)}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{ ${Object.entries(value)
    .map(([key, member]) => `[${lua(key)}] = ${lua(member)}`)
    .join(', ')} }`;
}
