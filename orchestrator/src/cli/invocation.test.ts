import { describe, expect, it } from 'vitest';
import { invocation } from './invocation.ts';
import { quoted } from './words.ts';

const called = (script: string, env: NodeJS.ProcessEnv = {}, execArgv: string[] = []) =>
  invocation({ argv: ['/usr/bin/node', script], execArgv, env, cwd: () => '/home/me/work' });

describe('how a command that is printed begins', () => {
  it.each<[string, string, NodeJS.ProcessEnv, string[], string]>([
    ['on the PATH', '/usr/local/bin/turnwire', { PATH: '/bin:/usr/local/bin' }, [], 'turnwire'],
    [
      'by npx',
      '/home/me/work/node_modules/.bin/turnwire',
      {
        PATH: '/home/me/work/node_modules/.bin:/bin',
        npm_command: 'exec',
        npm_config_user_agent: 'npm/10.8.2 node/v20.19.4',
      },
      [],
      'npx turnwire',
    ],
    [
      'by a script of npm',
      '/home/me/work/node_modules/.bin/turnwire',
      { PATH: '/home/me/work/node_modules/.bin', npm_command: 'run-script' },
      [],
      'npx turnwire',
    ],
    ['by pnpm', '/x/turnwire', { npm_command: 'exec', npm_config_user_agent: 'pnpm/10.1.0' }, [], 'pnpm exec turnwire'],
    ['by yarn', '/x/turnwire', { npm_command: 'run', npm_config_user_agent: 'yarn/4.1.0' }, [], 'yarn turnwire'],
    ['by its path', '/home/me/work/node_modules/.bin/turnwire', { PATH: '/bin' }, [], 'node_modules/.bin/turnwire'],
    ['by its path elsewhere', '/opt/tw/turnwire', { PATH: '/bin' }, [], '/opt/tw/turnwire'],
    ['in this folder', '/home/me/work/turnwire', {}, [], './turnwire'],
    ['by Node', '/home/me/work/bin/turnwire.js', {}, [], 'node bin/turnwire.js'],
    [
      'by Node from the sources',
      '/home/me/work/src/cli.ts',
      {},
      ['--conditions=a b', '--import', 'tsx'],
      `node '--conditions=a b' --import tsx src/cli.ts`,
    ],
  ])('%s', (_name, script, env, execArgv, expected) => expect(called(script, env, execArgv)).toBe(expected));
});

describe('a word for a shell', () => {
  it.each([
    ['merge', 'merge'],
    ['run_01.a:b', 'run_01.a:b'],
    ["it's", `'it'\\''s'`],
    ['two words', `'two words'`],
    ['$(x)', `'$(x)'`],
  ])('%s', (word, expected) => expect(quoted(word)).toBe(expected));
});
